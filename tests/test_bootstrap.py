"""What is put together from adapters: which texts a capture of commits looks into."""

import pytest

from remora.adapters.tree_sitter.parser import TreeSitterParser
from remora.bootstrap import parsed_spans


@pytest.mark.parametrize(
    "path", ["vendor/lib/a.go", "web/app.min.js", "node_modules/x/index.js", "secrets.py", "a.txt"]
)
def test_commits_are_not_anchored_in_files_that_the_code_graph_leaves_out(path: str) -> None:
    spans = parsed_spans(TreeSitterParser())
    assert spans.knows("src/a.go")
    assert not spans.knows(path)


def test_locals_of_functions_are_no_definitions_and_members_are() -> None:
    text = (
        b"A = 1\n\n\nclass B:\n    c = 2\n\n    def d(self):\n        e = 3\n        f = lambda: e\n        return f\n"
    )
    found = [span.qualified for span in parsed_spans(TreeSitterParser()).spans("a.py", text)]
    assert found == ["B", "B.d", "A", "B.c"]
