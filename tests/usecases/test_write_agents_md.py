"""The memory rules go into instruction files that others own, once, and come out again to the byte."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.adapters.settings_files import SettingsFiles
from remora.core.clients.agents_md import MEMORY_RULES
from remora.core.errors import InvalidInput
from remora.usecases.write_agents_md import write_agents_md


def outcomes(folder: Path, **options: bool) -> dict[str, str]:
    return {change.path: change.outcome for change in write_agents_md(SettingsFiles(folder), **options)}


def test_agents_md_is_made_and_the_others_are_written_only_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "GEMINI.md").write_text("# Mine\n")
    assert outcomes(tmp_path, dry_run=True) == {"AGENTS.md": "created", "GEMINI.md": "changed"}
    assert not (tmp_path / "AGENTS.md").exists()
    assert outcomes(tmp_path) == {"AGENTS.md": "created", "GEMINI.md": "changed"}
    assert outcomes(tmp_path) == {"AGENTS.md": "unchanged", "GEMINI.md": "unchanged"}
    assert MEMORY_RULES in (tmp_path / "AGENTS.md").read_text()
    assert outcomes(tmp_path, remove=True) == {"AGENTS.md": "removed", "GEMINI.md": "removed"}
    assert [path.name for path in tmp_path.iterdir()] == ["GEMINI.md"]
    assert (tmp_path / "GEMINI.md").read_text() == "# Mine\n"


@given(
    st.lists(
        st.sampled_from([b"# T", b"\r\n", b"\n", b"a", b"\xff\xfe", b"\r", b"- b  ", b"\xef\xbb\xbf"]), max_size=9
    ).map(b"".join)
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_any_bytes_are_kept_a_second_run_changes_none_and_removal_restores_them(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_bytes(data)
    outcomes(tmp_path)
    once = file.read_bytes()
    assert data in once
    assert outcomes(tmp_path) == {"AGENTS.md": "unchanged"}
    assert file.read_bytes() == once
    outcomes(tmp_path, remove=True)
    assert file.read_bytes() == data


def test_line_ends_of_a_windows_file_are_used_for_the_rules_too(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_bytes(b"# Title\r\n\r\ntext")
    outcomes(tmp_path)
    data = (tmp_path / "AGENTS.md").read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")


def test_older_rules_are_refreshed_in_place_and_text_around_them_stays(tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("above\n\n<!-- remora:begin -->\nold rules\n<!-- remora:end -->\nbelow")
    assert outcomes(tmp_path) == {"AGENTS.md": "changed"}
    assert "old rules" not in file.read_text()
    assert file.read_text().startswith("above\n\n<!-- remora:begin -->\n## Memory")
    outcomes(tmp_path, remove=True)
    assert file.read_text() == "above\nbelow"


@pytest.mark.parametrize("data", ["# T\n".encode("utf-16"), b"<!-- remora:begin -->\n", b"a\0b"])
def test_a_file_that_is_not_understood_is_refused_and_no_file_is_touched(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "AGENTS.md").write_text("# Mine\n")
    (tmp_path / "CLAUDE.md").write_bytes(data)
    with pytest.raises(InvalidInput, match=r"CLAUDE\.md.*nothing was changed"):
        outcomes(tmp_path)
    assert (tmp_path / "AGENTS.md").read_text() == "# Mine\n"
    assert (tmp_path / "CLAUDE.md").read_bytes() == data


def test_a_linked_instruction_file_is_written_once_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("# Mine\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    outcomes(tmp_path)
    assert (tmp_path / "CLAUDE.md").is_symlink()
    assert (tmp_path / "AGENTS.md").read_text().count("remora:begin") == 1
    outcomes(tmp_path, remove=True)
    assert (tmp_path / "AGENTS.md").read_text() == "# Mine\n"


def test_the_rules_are_short() -> None:
    assert len(MEMORY_RULES) < 1_500
