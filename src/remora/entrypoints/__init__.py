"""The doors: parse, call one use case, render."""
