"""Settings come from the config file and the environment, which wins; a bad value names its variable."""

from pathlib import Path

import pytest

from remora.config import Settings, load, load_routes
from remora.core.errors import InvalidInput
from remora.core.models.routes import Task


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


def models_file(tmp_path: Path, text: str, name: str = "llm.yaml") -> Settings:
    path = tmp_path / name
    path.write_text(text)
    path.chmod(0o600)
    return load(env(tmp_path, REMORA_LLM_CONFIG=str(path)))


def test_the_models_file_is_yaml_or_toml_and_found_beside_the_config_file(tmp_path: Path) -> None:
    assert load_routes(load(env(tmp_path))).provider(Task.FACTS) is None
    example = Path(__file__).parents[1] / "config" / "llm.example.yaml"
    found = load_routes(models_file(tmp_path, example.read_text())).provider(Task.FACTS)
    assert found is not None
    assert found.name == "local"
    assert load(env(tmp_path)).llm_config == tmp_path / "llm.yaml"
    toml = (
        '[providers.p]\nkind = "ollama"\nbase_url = "http://localhost:1"\nmodel = "m"\nlocal = true\n'
        '[tasks]\nmemory = "p"\n'
    )
    found = load_routes(models_file(tmp_path, toml, "llm.toml")).provider(Task.FACTS)
    assert found is not None
    assert found.name == "p"


@pytest.mark.parametrize(
    "text", ["providers: [", "a: &a [*a]", "- 1", "\x00", "!!python/object:os.system x", "a: 1\na: 2", "[" * 5000, "7"]
)
def test_a_models_file_that_is_none_says_so_without_repeating_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match="models' file"):
        load_routes(models_file(tmp_path, text))


def test_a_models_file_that_is_gone_or_that_everybody_may_write_is_refused(tmp_path: Path) -> None:
    settings = models_file(tmp_path, "tasks: {}")
    (tmp_path / "llm.yaml").chmod(0o666)
    with pytest.raises(InvalidInput, match="everybody"):
        load_routes(settings)
    (tmp_path / "llm.yaml").unlink()
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_routes(settings)
