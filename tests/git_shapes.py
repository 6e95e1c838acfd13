"""Real git repositories of odd shapes, made quickly (mostly with fast-import), for every test that reads git."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ENVIRON: Mapping[str, str] = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "HOME": os.devnull,
}
"""The environment that tests hand to the git adapter: this machine's git settings have no say."""

EPOCH = 1_600_000_000
"""Time of the first commit of every shape; each further commit is a minute later."""
_IDENT = {
    "GIT_AUTHOR_DATE": f"@{EPOCH + 86_400} +0000",
    "GIT_COMMITTER_DATE": f"@{EPOCH + 86_400} +0000",
    "GIT_AUTHOR_NAME": "Ada Byte",
    "GIT_AUTHOR_EMAIL": "ada@example.test",
    "GIT_COMMITTER_NAME": "Ada Byte",
    "GIT_COMMITTER_EMAIL": "ada@example.test",
}


def git(folder: Path, *args: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None) -> str:
    """Run the real git as a user would; its answer without the final newline."""
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *args],
        cwd=folder,
        env={**ENVIRON, **_IDENT, **(environ or {})},
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"git {args}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def quoted(path: bytes) -> bytes:
    """A path in fast-import's C style."""
    plain = b"".join(bytes([c]) if 0x20 <= c < 0x7F and c not in b'"\\' else b"\\%03o" % c for c in path)
    return b'"' + plain + b'"'


@dataclass
class History:
    """A stream of commits for fast-import. `files` maps a path to its content, or to None for a deletion."""

    stream: list[bytes] = field(default_factory=list)
    marks: int = 0

    def commit(
        self,
        message: str | bytes,
        files: Mapping[str | bytes, bytes | None] | None = None,
        *,
        branch: str = "main",
        parents: Sequence[int] | None = None,
        encoding: str = "",
        mode: bytes = b"100644",
    ) -> int:
        """Add one commit and return its mark. `parents=()` starts a branch anew."""
        self.marks += 1
        text = message.encode() if isinstance(message, str) else message
        ident = b"Ada Byte <ada@example.test> %d +0000" % (EPOCH + 60 * self.marks)
        ref = branch if branch.startswith("refs/") else f"refs/heads/{branch}"
        lines = [b"reset %s" % ref.encode()] if parents == () else []
        lines += [b"commit %s" % ref.encode(), b"mark :%d" % self.marks, b"author " + ident, b"committer " + ident]
        if encoding:
            lines.append(b"encoding " + encoding.encode())
        lines.append(b"data %d\n%s" % (len(text), text))
        for number, parent in enumerate(parents or ()):
            lines.append(b"%s :%d" % (b"from" if number == 0 else b"merge", parent))
        for name, content in (files or {}).items():
            path = quoted(name.encode() if isinstance(name, str) else name)
            if content is None:
                lines.append(b"D " + path)
            else:
                lines.append(b"M %s inline %s\ndata %d\n%s" % (mode, path, len(content), content))
        self.stream.append(b"\n".join(lines) + b"\n")
        return self.marks

    def write(self, folder: Path, *, init: Sequence[str] = (), checkout: bool = True) -> Path:
        """Make the repository (branch main) and check it out."""
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-q", "-b", "main", *init)
        if self.stream:
            git(folder, "fast-import", "--quiet", "--force", stdin=b"".join(self.stream))
            if checkout and "--bare" not in init:
                git(folder, "reset", "-q", "--hard", "main")
        return folder


def simple(folder: Path, *, remote: str = "", init: Sequence[str] = ()) -> Path:
    """Three commits: two files, an edit, a rename."""
    history = History()
    body = b"def start():\n    return 1\n\n\ndef stop():\n    return 2\n"
    history.commit("Add the engine\n\nIt starts and stops.\n", {"engine.py": body, "README.md": b"# Engine\n"})
    history.commit("Return three from stop", {"engine.py": body.replace(b"2", b"3")})
    history.commit("Move the engine", {"engine.py": None, "core/engine.py": body.replace(b"2", b"3")})
    history.write(folder, init=init)
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


# --- Odd shapes: each takes a folder, makes one repository there and returns the folder to read --------------------


def empty(folder: Path) -> Path:
    """No commit yet."""
    return History().write(folder)


def shallow(folder: Path) -> Path:
    """A clone that holds the newest commit alone."""
    simple(folder / "origin")
    git(folder, "clone", "-q", "--depth", "1", f"file://{folder / 'origin'}", "clone")
    return folder / "clone"


def shallow_worktree(folder: Path) -> Path:
    """A linked worktree of a shallow clone."""
    git(shallow(folder), "worktree", "add", "-q", "../linked")
    return folder / "linked"


def detached(folder: Path) -> Path:
    """HEAD on a commit that no branch names."""
    simple(folder)
    git(folder, "checkout", "-q", "--detach")
    git(folder, "commit", "-q", "--allow-empty", "-m", "On no branch")
    return folder


def bare(folder: Path) -> Path:
    """Without a worktree."""
    return simple(folder, init=("--bare",))


def worktree(folder: Path) -> Path:
    """A linked worktree's subfolder."""
    simple(folder / "main")
    git(folder / "main", "worktree", "add", "-q", "../linked")
    return folder / "linked" / "core"


def submodule(folder: Path) -> Path:
    """A repository with another one inside."""
    simple(folder / "library")
    simple(folder / "outer")
    git(folder / "outer", "submodule", "--quiet", "add", str(folder / "library"), "lib")
    git(folder / "outer", "commit", "-q", "-m", "Add the library")
    return folder / "outer"


def merges(folder: Path) -> Path:
    """A plain merge, an octopus of three, a merge that edits, an empty commit."""
    history = History()
    base = history.commit("Base", {"base.txt": b"1\n"})
    sides = [history.commit(f"Side {n}", {f"side{n}.txt": b"1\n"}, branch=f"side{n}", parents=[base]) for n in range(4)]
    plain = history.commit("Merge branch 'side0'", {"side0.txt": b"1\n"}, parents=[base, sides[0]])
    octopus = history.commit(
        "Merge three branches", {f"side{n}.txt": b"1\n" for n in (1, 2, 3)}, parents=[plain, *sides[1:]]
    )
    late = history.commit("Edit on the side", {"base.txt": b"side\n"}, branch="late", parents=[plain])
    evil = history.commit("Merge and decide", {"base.txt": b"decided\n"}, parents=[octopus, late])
    history.commit("Nothing changed", parents=[evil])
    return history.write(folder)


def octopus(folder: Path) -> Path:
    """A merge of nine branches."""
    history = History()
    base = history.commit("Base", {"base.txt": b"1\n"})
    arms = [history.commit(f"Arm {n}", {f"arm{n}.txt": b"1\n"}, branch=f"arm{n}", parents=[base]) for n in range(8)]
    history.commit("Merge all arms", {f"arm{n}.txt": b"1\n" for n in range(8)}, parents=[base, *arms])
    return history.write(folder)


def latin1(folder: Path) -> Path:
    """Messages and names that are not UTF-8: with the encoding said, said wrongly, and not said."""
    history = History()
    history.commit("Größe geändert".encode("latin-1"), {"größe.txt".encode("latin-1"): b"1"}, encoding="ISO-8859-1")
    history.commit("Ünsaid".encode("latin-1"), {"a.txt": b"1"})
    history.commit("Привет".encode("koi8-r"), {"b.txt": b"1"}, encoding="KOI8-R")
    history.commit("Überall".encode("latin-1"), {"c.txt": b"1"}, encoding="no-such-encoding")
    return history.write(folder)


def ten_thousand_files(folder: Path) -> Path:
    """One commit that adds 10,000 files."""
    history = History()
    history.commit("Import everything", {f"d{n % 100}/f{n}.py": b"x = %d\n" % n for n in range(10_000)})
    history.commit("Touch one", {"d0/f0.py": b"x = 1\n"})
    return history.write(folder, checkout=False)


def symlink_loop(folder: Path) -> Path:
    """Links to themselves, to their parent and out of the repository."""
    history = History()
    history.commit("Add files", {"docs/adr/0001-use.md": b"# Use it\n\nBecause.\n"})
    links: dict[str | bytes, bytes | None] = {"docs/loop": b"..", "docs/adr/self.md": b"self.md"}
    links |= {"docs/adr/out.md": b"/etc/hostname", "docs/decisions": b"adr"}
    history.commit("Add links", links, mode=b"120000")
    return history.write(folder)


def huge_file(folder: Path) -> Path:
    """A file of 16 MB, renamed with an edit."""
    block = b"0123456789abcdef" * (1 << 20)
    history = History()
    history.commit("Add a dump", {"dump.bin": block, "small.txt": b"1\n"})
    history.commit("Move the dump", {"dump.bin": None, "data/dump.bin": block + b"!"})
    return history.write(folder, checkout=False)


ODD_NAMES: tuple[bytes, ...] = (
    b"bad-\xff.py",
    b"a b",
    b'q"uote',
    b"new\nline",
    b"tab\t",
    b"-rf",
    "\U0001f600.md".encode(),
    "e\u0301.txt".encode(),
    "\u00e9.txt".encode(),
    '中文".txt'.encode(),
    b"back\\slash",
    b"\\xff",
    b":(top)magic",
    "\u202egnp.exe".encode(),
    b"dir/A 100644",
    b"\xed\xa0\x80",
)


def odd_names(folder: Path) -> Path:
    """Every name that has broken a tool before."""
    history = History()
    history.commit("Add odd names", {name: b"content of " + name for name in ODD_NAMES})
    return history.write(folder)


def case_rename(folder: Path) -> Path:
    """A rename that changes only the case."""
    history = History()
    history.commit("Add", {"readme.md": b"# Hello\n\nWorld and more words.\n"})
    history.commit("Rename", {"readme.md": None, "README.md": b"# Hello\n\nWorld and more words.\n"})
    return history.write(folder)


def replaced(folder: Path) -> Path:
    """A replace ref and a graft that would rewrite what the history says."""
    simple(folder)
    git(folder, "replace", "HEAD", "HEAD~2")
    (folder / ".git/info").mkdir(exist_ok=True)
    (folder / ".git/info/grafts").write_text(git(folder, "--no-replace-objects", "rev-parse", "HEAD~1") + "\n")
    return folder


TRAILERS = """Closes: #12
Co-authored-by: Grace Hopper <grace@example.test>
Reviewed-by: Alan <alan@example.test>
Signed-off-by: Ada Byte <ada@example.test>
"""


def reverts(folder: Path) -> Path:
    """Trailers, issue references, a revert and a fix that names its culprit by an abbreviation."""
    history = History()
    history.commit("Add cache", {"cache.py": b"cache = {}\n"})
    history.write(folder)
    culprit = git(folder, "rev-parse", "HEAD")
    for message in (
        f'Revert "Add cache"\n\nThis reverts commit {culprit}.\n',
        f'Guard the cache\n\nIt was not locked.\n\nFixes: {culprit[:12]} ("Add cache")\n{TRAILERS}',
        f"Pick the guard (#34)\n\nfixes GH-7 and resolves acme/web#8.\n\n(cherry picked from commit {culprit})\n",
        "Merge pull request #99 from ada/topic\n\nA topic\n",
    ):
        (folder / "cache.py").write_text(message)
        git(folder, "commit", "-q", "-a", "-m", message)
    return folder


def sha256(folder: Path) -> Path:
    """Objects named by SHA-256."""
    return simple(folder, init=("--object-format=sha256",))


def _drop_object(folder: Path, revision: str) -> str:
    name = git(folder, "rev-parse", revision)
    (folder / ".git/objects" / name[:2] / name[2:]).unlink()
    return name


def missing_tree(folder: Path) -> Path:
    """The middle commit's tree is gone."""
    _drop_object(simple(folder), "HEAD~1^{tree}")
    return folder


def missing_blob(folder: Path) -> Path:
    """A blob that rename detection wants is gone."""
    history = History()
    text = b"".join(b"line %d\n" % n for n in range(50))
    history.commit("Add", {"old.py": text, "other.py": b"1\n"})
    history.commit("Move with an edit", {"old.py": None, "new.py": text + b"more\n"})
    history.commit("Later", {"other.py": b"2\n"})
    history.write(folder)
    _drop_object(folder, "HEAD~2:old.py")
    return folder


def missing_commit(folder: Path) -> Path:
    """A commit in the middle of one of two lines is gone."""
    history = History()
    base = history.commit("Base", {"a": b"1"})
    lost = history.commit("Lost", {"a": b"2"}, branch="side", parents=[base])
    side = history.commit("After the loss", {"a": b"3"}, branch="side", parents=[lost])
    main = history.commit("Main", {"b": b"1"}, parents=[base])
    history.commit("Merge", {"b": b"1", "a": b"3"}, parents=[main, side])
    history.write(folder)
    _drop_object(folder, "side~1")
    return folder


def orphan(folder: Path) -> Path:
    """Two branches without a common ancestor."""
    history = History()
    history.commit("Code", {"a.py": b"1\n"})
    history.commit("Site", {"index.html": b"<p>\n"}, branch="gh-pages", parents=())
    return history.write(folder)


def swapped(folder: Path) -> Path:
    """Two files that trade names in one commit."""
    history = History()
    first, second = (b"".join(b"%s %d\n" % (word, n) for n in range(40)) for word in (b"alpha", b"beta"))
    history.commit("Add", {"a.txt": first, "b.txt": second})
    history.commit("Swap", {"a.txt": second, "b.txt": first})
    return history.write(folder)


def big_rename(folder: Path, count: int = 3_000) -> Path:
    """Thousands of files renamed beyond recognition of their names, each with an edit."""
    history = History()
    old: dict[str | bytes, bytes | None] = {}
    new: dict[str | bytes, bytes | None] = {}
    for n in range(count):
        text = b"".join(b"value_%d_%d = %d\n" % (n, line, line) for line in range(8))
        old[f"old/name{n}.py"], new[f"old/name{n}.py"] = text, None
        new[f"new/title{n}.py"] = text + b"edited = True\n"
    history.commit("Add", old)
    history.commit("Rename all", new)
    return history.write(folder, checkout=False)


HOSTILE_CONFIG = """
[core]
\tquotePath = {quote}
\tpager = touch {pwned}
\tfsmonitor = touch {pwned}
\thooksPath = {hooks}
\tattributesFile = {attributes}
\tsshCommand = touch {pwned}
[color]
\tui = always
[log]
\tshowSignature = true
\tmailmap = true
\tdate = relative
\tdecorate = full
\tabbrevCommit = true
\tfollow = true
\tshowRoot = false
\tdiffMerges = first-parent
[i18n]
\tlogOutputEncoding = latin1
[gpg]
\tprogram = touch {pwned}
[diff]
\texternal = touch {pwned}
\trenames = false
\trenameLimit = 1
\tnoprefix = true
\trelative = true
\torderFile = {attributes}
\tignoreSubmodules = all
\tmnemonicPrefix = true
[diff "evil"]
\tcommand = touch {pwned}
\ttextconv = touch {pwned}
[filter "evil"]
\tclean = touch {pwned}
\tsmudge = touch {pwned}
[format]
\tpretty = oneline
[extensions]
\tpartialClone = origin
[remote "origin"]
\turl = ext::touch {pwned}
\tpromisor = true
\tuploadpack = touch {pwned}
[alias]
\tlog = !touch {pwned}
\trev-parse = !touch {pwned}
"""


def hostile_config(folder: Path, *, quote: bool = True) -> Path:
    """The reverts shape with a config that would run programs and change every output."""
    reverts(folder)
    pwned = folder.parent / f"{folder.name}.pwned"
    hooks = folder / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {pwned}\n")
        (hooks / name).chmod(0o755)
    attributes = folder / ".git" / "evil"
    attributes.write_text("* diff=evil filter=evil\n")
    (folder / ".gitattributes").write_text("* diff=evil filter=evil\n")
    (folder / ".mailmap").write_text("Mallory <m@example.test> <ada@example.test>\n")
    names = {"pwned": pwned, "hooks": hooks, "attributes": attributes, "quote": str(quote).lower()}
    with (folder / ".git/config").open("a") as config:
        config.write(HOSTILE_CONFIG.format(**names))
    return folder


def no_message(folder: Path) -> Path:
    """Commits with an empty message, only blanks, control characters and a line of 100 KB."""
    history = History()
    for number, message in enumerate(
        (b"", b" \n\n ", b"bell \a and \x1b[31mred", b"x" * 100_000, b"s\n\n" + b"y " * 50_000)
    ):
        history.commit(message, {"a": b"%d" % number})
    return history.write(folder)


SHAPES: Mapping[str, Callable[[Path], Path]] = {
    shape.__name__: shape
    for shape in (
        empty,
        shallow,
        shallow_worktree,
        detached,
        bare,
        worktree,
        submodule,
        merges,
        octopus,
        latin1,
        ten_thousand_files,
        symlink_loop,
        huge_file,
        odd_names,
        case_rename,
        replaced,
        reverts,
        sha256,
        missing_tree,
        missing_blob,
        missing_commit,
        orphan,
        swapped,
        big_rename,
        hostile_config,
        no_message,
    )
}
"""Every shape by name."""
