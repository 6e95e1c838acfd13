"""Git, run by one runner with fixed flags; nothing else in Remora starts git."""
