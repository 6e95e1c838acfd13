"""The streams of git are read alike wherever they are cut, and no content can pose as structure."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from remora.core.capture.git_log import LogParser, RawCommit
from remora.core.capture.patch import CommitPatch, parse_patches, split_lines
from remora.core.capture.since import parse_since
from remora.core.records.model import PathChange
from remora.core.records.vocabulary import PathChangeKind

SHA = "a" * 40
RAW = ":100644 100644 1111 2222"
LOG = (
    f"\0\0{SHA}\0T5\0AAda\0E\0SOne\0Bbody\n\0\n{RAW} A\0a.py\0{RAW} R090\0b.py\0c.py\0"
    f"{RAW} C075\0c.py\0d.py\0{RAW} T\0e\0"
    f"\0\0{SHA[::-1]}\0T6\0AAda\0E\0SEmpty\0B\0"
    f"\0\0{SHA}\0T7\0AAda\0E\0SMerge\0B\0\0:{RAW} 3333 MM\0x.py\0:{RAW} 3333 AM\0y.py\0:{RAW} 3333 DD\0z.py\0"
    f"\0\0{SHA}\0T\0A\0E\0S\0B\0\n{RAW} M\0../out\0{RAW} M\0/abs\0{RAW} D\0in\0"
).encode()
EXPECTED = [
    RawCommit(
        SHA,
        5,
        "Ada",
        "One",
        "body\n",
        (
            PathChange(PathChangeKind.ADDED, "", "a.py"),
            PathChange(PathChangeKind.RENAMED, "b.py", "c.py"),
            PathChange(PathChangeKind.COPIED, "c.py", "d.py"),
            PathChange(PathChangeKind.TYPE_CHANGED, "e", "e"),
        ),
    ),
    RawCommit(SHA[::-1], 6, "Ada", "Empty", ""),
    RawCommit(
        SHA,
        7,
        "Ada",
        "Merge",
        "",
        (
            PathChange(PathChangeKind.MODIFIED, "x.py", "x.py"),
            PathChange(PathChangeKind.MODIFIED, "y.py", "y.py"),
            PathChange(PathChangeKind.DELETED, "z.py", ""),
        ),
    ),
    RawCommit(SHA, 0, "", "", "", (PathChange(PathChangeKind.DELETED, "in", ""),), unsafe_paths=2),
]
PATCH = b"""commit 1111

diff --git a/a.py b/a.py
index 1111..2222 100644
--- a/a.py
+++ b/a.py
@@ -1,2 +1 @@ def f
-diff --git a/x b/x
-commit 2222
\\ No newline at end of file
+@@ -1 +1 @@
@@ -9,0 +9,2 @@
+--- a/fake
++++ b/fake
commit 3333

diff --git "a/q\\"\\303\\251\\n.py" "b/q\\"\\303\\251\\n.py"
new file mode 100644
index 0000..4444
--- /dev/null
+++ "b/q\\"\\303\\251\\n.py"
@@ -0,0 +1 @@
+x
diff --git a/bin b/bin
index 5555..6666 100644
Binary files a/bin and b/bin differ
"""


@given(st.lists(st.integers(0, len(LOG)), max_size=8))
def test_a_log_cut_anywhere_reads_alike(cuts: list[int]) -> None:
    parser = LogParser()
    commits = []
    edges = [0, *sorted(cuts), len(LOG)]
    for start, end in pairwise(edges):
        commits += parser.feed(LOG[start:end])
    commits += parser.finish()
    assert commits == EXPECTED
    assert parser.count == 4


@given(st.lists(st.integers(0, len(PATCH)), max_size=8))
def test_a_patch_cut_anywhere_reads_alike(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(PATCH)]
    chunks = [PATCH[start:end] for start, end in pairwise(edges)]
    assert list(parse_patches(split_lines(chunks))) == list(parse_patches(iter(PATCH.split(b"\n"))))


def test_content_cannot_pose_as_structure() -> None:
    first, second = parse_patches(split_lines([PATCH]))
    (file,) = first.files
    assert (file.old_path, file.new_path, file.old_blob, file.new_blob) == ("a.py", "a.py", "1111", "2222")
    assert file.hunks[0].deleted == [b"diff --git a/x b/x", b"commit 2222"]
    assert file.hunks[0].added == [b"@@ -1 +1 @@"]
    assert file.hunks[1].added == [b"--- a/fake", b"+++ b/fake"]
    added, binary = second.files
    assert (added.old_path, added.new_path) == ("", 'q"é\n.py')
    assert (binary.new_path, binary.hunks) == ("", [])


def test_a_torn_patch_is_read_as_far_as_it_goes() -> None:
    assert isinstance(next(parse_patches(iter(PATCH.split(b"\n")[:8]))), CommitPatch)


def test_times_are_utc_wherever_they_are_said() -> None:
    now = 1_700_000_000 * 1_000_000
    assert parse_since("2023-11-14", now) == 1_699_920_000
    assert parse_since("2023-11-14T01:00:00+01:00", now) == 1_699_920_000
    assert parse_since("2 weeks ago", now) == 1_700_000_000 - 1_209_600
    assert parse_since("3 days", now) == 1_700_000_000 - 259_200
