"""What the system refused is told with advice that fits: a path that is wrong, or a disk that does not take more."""

import errno

import pytest

from remora.core.errors import unusable


@pytest.mark.parametrize(
    ("number", "advice"),
    [(number, "path is right") for number in (errno.ENOENT, errno.EISDIR, errno.ENOTDIR)]
    + [(number, "permissions and the disk") for number in (errno.ENOSPC, errno.EACCES, errno.EIO, errno.EROFS, 0)],
)
def test_the_advice_fits_what_was_refused(number: int, advice: str) -> None:
    refused = unusable(OSError(number, "no", "/some/place"))
    assert str(refused).startswith("/some/place: no")
    assert advice in refused.advice
