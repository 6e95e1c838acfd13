"""Secrets out of a record before it is stored; what identifies it stays."""

from collections.abc import Callable
from dataclasses import replace

from remora.core.records.model import Record

Redact = Callable[[str], str]


def scrubbed(record: Record, redact: Redact) -> Record:
    """The record with secrets redacted in every text that people or tools wrote."""
    verification = record.verification
    return replace(
        record,
        title=redact(record.title),
        summary=redact(record.summary),
        branch=redact(record.branch),
        sources=tuple(replace(source, uri=redact(source.uri)) for source in record.sources),
        verification=replace(
            verification,
            commands=tuple(redact(command) for command in verification.commands),
            notes=redact(verification.notes),
        ),
        links=tuple(replace(link, target=redact(link.target)) for link in record.links),
    )
