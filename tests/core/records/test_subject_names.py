"""A subject is read the way people and answers write it."""

import pytest

from remora.core.records.indexed import node_key, path_key
from remora.core.records.subject import parse_subject


def test_a_node_id_means_the_symbol_in_its_file() -> None:
    subject = parse_subject("python:pkg/app.py#Sessions.refresh")
    assert node_key("python:pkg/app.py#Sessions.refresh") in subject.keys
    assert path_key("pkg/app.py") in subject.within


def test_a_module_id_means_its_file() -> None:
    assert path_key("pkg/app.py") in parse_subject("python:pkg/app.py").keys


@pytest.mark.parametrize("text", ["ci://runs/17", "ns::Type", "Note: a topic", "https://x.test/a.py"])
def test_what_only_looks_like_a_node_id_is_left_as_it_is(text: str) -> None:
    assert parse_subject(text).keys[0] == node_key(text)
    assert not any(
        key.startswith("p:") and key not in (path_key(text), path_key(text)) for key in parse_subject(text).keys
    )
