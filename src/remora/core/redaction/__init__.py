"""Redaction: secrets leave a text before it is stored, logged or sent, and a placeholder with a keyed hash stays."""

from remora.core.redaction.engine import Finding, Redacted, redact, redact_text

__all__ = ["Finding", "Redacted", "redact", "redact_text"]
