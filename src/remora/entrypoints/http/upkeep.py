"""What a running server keeps in order while nobody asks: meanings of every repository it serves."""

import logging
import threading

from remora.bootstrap import open_models
from remora.config import Settings
from remora.core.errors import RemoraError
from remora.core.models.routes import Task
from remora.core.policy import MEANING_HOOK_DEADLINE_MS, MEANING_SWEEP_SECONDS
from remora.core.scope import operator_grant
from remora.entrypoints.http.repositories import Repositories
from remora.usecases.compress_meanings import compress_when_idle

_log = logging.getLogger("remora.http")


def hook_deadline_ms(settings: Settings) -> int:
    """How long hooks are to wait for this server: longer where a prompt may ask a model, 0 for their own default."""
    try:
        routed = settings.allow_memory and open_models(settings).routed(Task.MEANING) is not None
    except RemoraError as error:
        _log.warning("no model is asked for what bears on a prompt: %s", error)
        return 0
    return MEANING_HOOK_DEADLINE_MS if routed else 0


def keep_meanings(repositories: Repositories, stop: threading.Event) -> None:
    """Sweep the meanings of every repository at once and then now and again, until told to stop."""
    grant = operator_grant()
    while True:
        for row in repositories.visible(grant):
            if stop.is_set():
                return
            try:
                ports = repositories.enter(row.id, grant)
                done = compress_when_idle(ports, grant, lambda: not stop.is_set(), whole=True)
            except (RemoraError, OSError) as error:
                _log.warning("meanings wait for the next round: %s", error)
                continue
            if done and done.fault:
                _log.warning("meanings wait for the next round: %s", done.fault)
        if stop.wait(MEANING_SWEEP_SECONDS):
            return
