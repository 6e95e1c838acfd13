"""Durable, source-grounded memory of a repository for coding agents."""

__all__ = ["__version__"]

__version__ = "0.1.0"
