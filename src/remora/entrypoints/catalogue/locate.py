"""The operation that finds files from a description of a change."""

from collections.abc import Mapping
from typing import Any

from remora.core import policy
from remora.entrypoints import render
from remora.entrypoints.catalogue.operation import Answer, Call, Operation, arguments, integer, rows, text


def _locate(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.core.recall.notice import NOTICE
    from remora.core.records.evidence import line_text
    from remora.usecases.locate import locate

    found = locate(call.ports, call.grant, given["query"], limit=given["limit"])
    files = [
        {
            "path": line_text(file.path, policy.EVIDENCE_URI_CHARS),
            "score": file.score,
            "line": file.line,
            "reasons": [
                {key: value for key, value in (
                    ("leg", reason.leg),
                    ("detail", call.ports.redact(line_text(reason.detail, policy.EVIDENCE_TITLE_CHARS))),
                    ("record", reason.record),
                    ("source", line_text(reason.source, policy.EVIDENCE_URI_CHARS)),
                ) if value}
                for reason in file.reasons
            ],
        }
        for file in found.files
    ]  # fmt: skip
    data = {
        "files": files,
        "total": found.total,
        "candidates": found.candidates,
        "truncated": len(files) < found.candidates,
        "unread": found.unread,
        "notice": NOTICE,
    }
    return Answer(data, render.located(data))


OPERATIONS = (
    Operation(
        name="locate",
        title="Which files to change",
        description="The files that a described fix or change most likely touches, from past changes, renames and file "
        "contents together; each file says why.",
        profiles=frozenset({"records"}),
        input=arguments(
            query=text("The bug or change in words.", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            limit=integer("", low=1, high=policy.LOCATE_LIMIT_MAX, default=policy.LOCATE_LIMIT),
        ),
        output=rows("files", "total", "candidates", "truncated", "unread", "notice"),
        run=_locate,
        read_only=True,
        http=("GET", "/locate"),
    ),
)
