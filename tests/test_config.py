"""Settings come from the config file and the environment, which wins; a bad value names its variable."""

from pathlib import Path

import pytest

from remora.config import load
from remora.core.errors import InvalidInput


def env(tmp_path: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(tmp_path), "REMORA_CONFIG": str(tmp_path / "config.toml"), **more}


def test_the_data_folder_follows_the_variable_then_the_file_then_the_platform(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(f'data_dir = "{tmp_path}/from-file"\n')
    assert load(env(tmp_path)).data_dir == tmp_path / "from-file"
    assert load(env(tmp_path, REMORA_DATA_DIR=str(tmp_path / "d"))).data_dir == tmp_path / "d"
    assert load({"HOME": str(tmp_path)}).data_dir.name == "remora"


def test_a_machine_without_a_home_is_told_which_variable_to_set() -> None:
    for home in ({}, {"HOME": "/"}, {"HOME": ""}):
        with pytest.raises(InvalidInput, match="REMORA_DATA_DIR"):
            load(home)


@pytest.mark.parametrize(("raw", "expected"), [("false", False), ("0", False), ("TRUE", True), ("", True)])
def test_memory_is_on_unless_switched_off(tmp_path: Path, raw: str, expected: bool) -> None:
    assert load(env(tmp_path, REMORA_ALLOW_MEMORY=raw)).allow_memory is expected


def test_a_bad_switch_names_its_variable_and_what_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"REMORA_ALLOW_MEMORY.*true or false"):
        load(env(tmp_path, REMORA_ALLOW_MEMORY="maybe"))


@pytest.mark.parametrize("content", [b"data_dir = [", b"\xff\xfe\x00", b"allow_memory = 'yes'\n"])
def test_a_broken_config_file_is_refused_with_its_path(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.toml").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"config\.toml"):
        load(env(tmp_path))
    assert (tmp_path / "config.toml").read_bytes() == content


def test_an_unknown_key_is_kept_as_a_warning(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("colour = 1\n", encoding="utf-8-sig")
    assert "colour" in load(env(tmp_path)).warnings[0]


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('api_token = "x"\n')
    path.chmod(0o644)
    with pytest.raises(InvalidInput, match="0600"):
        load(env(tmp_path))
    path.chmod(0o600)
    assert load(env(tmp_path)).api_token == "x"
    assert "'x'" not in repr(load(env(tmp_path)))


def test_an_unknown_variable_is_kept_as_a_warning_and_those_of_hooks_are_known(tmp_path: Path) -> None:
    told = load(env(tmp_path, REMORA_DATA_DIRS="/x", REMORA_HOOK_MODE="model", REMORA_COMMIT="")).warnings
    assert told == ("the variable REMORA_DATA_DIRS is unknown and ignored",)


def test_a_relative_data_folder_is_refused_by_name_and_a_home_is_expanded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for relative in ("data", "./data", "~nobody-of-this-name/data"):
        with pytest.raises(InvalidInput, match=r"REMORA_DATA_DIR.*an absolute path"):
            load(env(tmp_path, REMORA_DATA_DIR=relative))
    (tmp_path / "config.toml").write_text('data_dir = "data"\n')
    with pytest.raises(InvalidInput, match=r"data_dir.*an absolute path"):
        load(env(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load(env(tmp_path, REMORA_DATA_DIR="~/d")).data_dir == tmp_path / "d"
