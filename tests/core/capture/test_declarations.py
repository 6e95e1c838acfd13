"""Renamed declarations are told from edits, moves and additions."""

import time

import pytest

from remora.core.capture.declarations import declaration_in, declaration_pairs
from remora.core.capture.patch import Hunk


def hunk(deleted: list[str], added: list[str], start: int = 10) -> Hunk:
    return Hunk(start, len(deleted), start, len(added), [d.encode() for d in deleted], [a.encode() for a in added])


def renames(*hunks: Hunk) -> list[tuple[str, str]]:
    return [(pair.old, pair.new) for pair in declaration_pairs(hunks) if pair.alone]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def refresh(self, token):", "refresh"),
        ("    async def refresh(self):", "refresh"),
        ("class Token(Base):", "Token"),
        ("pub(crate) fn refresh<T>(x: T) -> u8 {", "refresh"),
        ("func (s *Server) Refresh(ctx Context) error {", "Refresh"),
        ("func Refresh(ctx Context) error {", "Refresh"),
        ("export default async function refresh(a) {", "refresh"),
        ("export const refresh = (a) => {", "refresh"),
        ("  refresh(a, b) {", "refresh"),
        ("static int refresh_token(struct user *u)", "refresh_token"),
        ("void Server::refresh(int a) const {", "refresh"),
        ("public static <T> List<T> refresh(T a) {", "refresh"),
        ("    public void refresh() throws IOException {", "refresh"),
        ("interface Token {", "Token"),
        ("type Token struct {", "Token"),
        ("enum Token {", "Token"),
        ("#define MAX_TOKENS 3", "MAX_TOKENS"),
        ("MAX_TOKENS = 3", "MAX_TOKENS"),
        ("  def self.refresh(a)", "refresh"),
        ("fun refresh(a: Int): Int {", "refresh"),
    ],
)
def test_declarations_of_many_languages_are_seen(line: str, name: str) -> None:
    declaration = declaration_in(line)
    assert declaration is not None
    assert declaration.name == name


STATEMENTS = [
    "return refresh(a)",
    "  if (refresh(a)) {",
    "refresh(a);",
    "x == 3",
    "# comment",
    "for (int i = 0;;) {",
    "",
    "}",
]


@pytest.mark.parametrize("line", STATEMENTS)
def test_calls_and_statements_are_no_declarations(line: str) -> None:
    assert declaration_in(line) is None


def test_one_changed_identifier_is_a_rename() -> None:
    assert renames(hunk(["def old(a, b):"], ["def new(a, b):"])) == [("old", "new")]


def test_a_recursive_signature_counts_as_one_identifier() -> None:
    assert renames(hunk(["class Old(Base[Old]):"], ["class New(Base[New]):"])) == [("Old", "New")]


def test_a_changed_signature_is_no_rename() -> None:
    assert renames(hunk(["def old(a):"], ["def new(a, b):"])) == []


def test_a_name_that_only_moved_is_no_rename() -> None:
    assert renames(hunk(["def a(x):", "def b(x):"], ["def b(x):", "def a(x):"])) == []
    assert renames(hunk(["def a(x):"], ["def b(x):"], 1), hunk(["def c(x):"], ["def a(x):"], 20)) == []


def test_two_alike_in_a_hunk_of_other_length_are_left_alone() -> None:
    assert renames(hunk(["def a():", "def b():"], ["def c():", "def d():", "def e():"])) == []
    assert renames(hunk(["def a():"], ["", "def c():"])) == [("a", "c")]


def test_swapped_names_are_no_renames() -> None:
    assert renames(hunk(["def a(x):"], ["def b(x):"], 1), hunk(["def b(x):"], ["def a(x):"], 9)) == []


HOSTILE = ["a " * 200, "a::" * 130, "<" * 400, "(" * 400, "a<b" * 130, "*&[] " * 80, "static " * 60, "\u00e9" * 400]


@pytest.mark.parametrize("line", HOSTILE)
def test_hostile_lines_are_read_quickly(line: str) -> None:
    start = time.process_time()
    for _ in range(20):
        declaration_in(line)
    assert time.process_time() - start < 1
