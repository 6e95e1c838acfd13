"""What memory is and how it decides: pure values and functions, no I/O, clock, environment or randomness."""
