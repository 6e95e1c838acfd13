"""The command line door: one file per group of commands."""
