"""The one tree of exceptions; each door translates it once. Expected outcomes are values, not errors."""

from collections.abc import Sequence

from remora.core.policy import BATCH_ERRORS_TOLD


class RemoraError(Exception):
    """Base of everything Remora raises on purpose. `str(error)` is fit for a user; `advice` says what to do."""

    code = "error"

    def __init__(self, message: str, *, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice


class InvalidInput(RemoraError):
    """The caller's value is wrong: names the field, what is wrong and what is allowed."""

    code = "invalid_input"

    def __init__(self, field: str, problem: str, *, allowed: str = "") -> None:
        super().__init__(f"{field}: {problem}" + (f" (allowed: {allowed})" if allowed else ""))
        self.field = field
        self.problem = problem
        self.allowed = allowed


class InvalidBatch(InvalidInput):
    """Several values of one batch are wrong; nothing was written. `errors` lists every one."""

    code = "invalid_batch"

    def __init__(self, field: str, errors: Sequence[InvalidInput]) -> None:
        told = "; ".join(str(error) for error in errors[:BATCH_ERRORS_TOLD])
        more = len(errors) - BATCH_ERRORS_TOLD
        super().__init__(field, told + (f"; and {more} more" if more > 0 else ""))
        self.errors = tuple(errors)


class NotFound(RemoraError):
    """Nothing the caller may see has this name. Hidden and absent things are indistinguishable."""

    code = "not_found"


class Ambiguous(RemoraError):
    """A name means several things; `candidates` lists them so that the caller can pick."""

    code = "ambiguous"

    def __init__(self, message: str, candidates: Sequence[str]) -> None:
        super().__init__(message, advice="use one of: " + ", ".join(candidates))
        self.candidates = tuple(candidates)


class Denied(RemoraError):
    """The principal may not do this, or memory is switched off."""

    code = "denied"


class Conflict(RemoraError):
    """The same identity was used with different content."""

    code = "conflict"


class LimitReached(RemoraError):
    """A stated limit would be passed; the message names the limit, the count and what frees room."""

    code = "limit_reached"


class QueueFull(RemoraError):
    """A bounded queue takes nothing more now; `retry_seconds` says when it may."""

    code = "queue_full"

    def __init__(self, limit: int, retry_seconds: int) -> None:
        super().__init__(
            f"the queue holds {limit} jobs, which is all it takes", advice=f"try again in {retry_seconds} s"
        )
        self.retry_seconds = retry_seconds


class Unavailable(RemoraError):
    """Something outside does not answer now (busy store, full disk, stopped server); trying again may work."""

    code = "unavailable"


class Corrupt(RemoraError):
    """Stored bytes are not what was written; names the place. Other data is still served."""

    code = "corrupt"


class SourceFailed(RemoraError):
    """A source tool (git, a parser) failed; carries its words, with secrets removed."""

    code = "source_failed"


def unusable(error: OSError) -> Unavailable:
    """What the system refused, as one sentence."""
    what = f"{error.filename}: " if error.filename else ""
    misnamed = isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError)
    advice = (
        "check that the path is right" if misnamed else "check free space, permissions and the disk, then try again"
    )
    return Unavailable(f"{what}{error.strerror or error}", advice=advice)
