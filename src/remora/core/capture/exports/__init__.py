"""Readers of exports that people have, each from bytes to artifacts."""

FORMATS = ("auto", "remora", "github", "gitlab", "junit", "sarif")
"""Names of what can be read; `auto` looks at the file."""
