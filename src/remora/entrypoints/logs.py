"""Logs: to stderr, as lines for people or, when asked, one JSON object a line."""

import json
import logging
import sys

from remora.config import Settings


def set_logs(settings: Settings) -> None:
    """Log to stderr from the settings' level on; a second call changes nothing."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        _JsonLines() if settings.log_json else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(level=settings.log_level, handlers=[handler])


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": self.formatTime(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["details"] = self.formatException(record.exc_info)
        return json.dumps(entry)
