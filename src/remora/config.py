"""The only reader of the environment and of config files: both become one frozen `Settings`."""

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remora.core.errors import InvalidInput

if TYPE_CHECKING:  # a hook's cold process reads settings and waits for each import
    from remora.core.models.routes import Routes

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_VARIABLES = frozenset(
    f"REMORA_{name}"
    for name in (
        *("CONFIG", "DATA_DIR", "ALLOW_MEMORY", "LOG_LEVEL", "LOG_JSON", "SESSION_ID", "CLIENT", "API_TOKEN", "STORE"),
        *("ALLOW_NETWORK_FS", "COMMIT", "LLM_CONFIG", "EMBEDDINGS"),
        *("STORE_USER", "STORE_PASSWORD", "STORE_PASSWORD_FILE", "STORE_DATABASE"),
    )
)
"""Every variable that Remora or its git hooks read."""
_OF_HOOKS = "REMORA_HOOK_"
"""Variables of the clients' hooks, which read them themselves."""
_LLM_FILES = ("llm.yaml", "llm.yml", "llm.toml")
"""Beside the config file."""
_EMBEDDINGS = ("AUTO", "BUILTIN", "OFF")
_LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set from outside. Paths are absolute."""

    data_dir: Path
    allow_memory: bool = True
    log_level: str = "WARNING"
    log_json: bool = False
    session_id: str = ""
    client: str = ""
    api_token: str = field(default="", repr=False)
    store_url: str = ""
    """Address of a server engine; empty for the embedded one."""
    store_user: str = ""
    store_password: str = field(default="", repr=False)
    store_database: str = ""
    allow_network_fs: bool = False
    llm_config: Path | None = None
    """The models' file, None where there is none."""
    embeddings: str = "AUTO"
    """AUTO: the builtin model where its extra is installed. BUILTIN: the same, and a notice where it is not. OFF."""
    warnings: tuple[str, ...] = ()


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the config file and then the environment, which wins. Raises `InvalidInput` naming the variable or key."""
    env = os.environ if environ is None else environ
    path = _config_path(env)
    settings, warnings = _from_file(path)
    own = sorted(name for name in env if name.startswith("REMORA_") and not name.startswith(_OF_HOOKS))
    warnings += [f"the variable {name} is unknown and ignored" for name in own if name not in _VARIABLES]
    values: dict[str, Any] = {
        "data_dir": _data_dir(env, settings.get("data_dir", "")),
        "allow_memory": _flag(env, "REMORA_ALLOW_MEMORY", settings.get("allow_memory", True)),
        "log_level": _choice(env, "REMORA_LOG_LEVEL", settings.get("log_level", "WARNING"), _LOG_LEVELS),
        "log_json": _flag(env, "REMORA_LOG_JSON", settings.get("log_json", False)),
        "session_id": env.get("REMORA_SESSION_ID", ""),
        "client": env.get("REMORA_CLIENT", ""),
        "api_token": env.get("REMORA_API_TOKEN", "") or settings.get("api_token", ""),
        "store_url": env.get("REMORA_STORE", "") or settings.get("store", ""),
        "store_user": env.get("REMORA_STORE_USER", "") or settings.get("store_user", ""),
        "store_password": _store_password(env, settings.get("store_password_file", "")),
        "store_database": env.get("REMORA_STORE_DATABASE", "") or settings.get("store_database", ""),
        "allow_network_fs": _flag(env, "REMORA_ALLOW_NETWORK_FS", settings.get("allow_network_fs", False)),
        "llm_config": _llm_config(env, path),
        "embeddings": _choice(env, "REMORA_EMBEDDINGS", settings.get("embeddings", "AUTO"), _EMBEDDINGS),
        "warnings": tuple(warnings),
    }
    return Settings(**values)


def with_memory(settings: Settings, allow: bool | None) -> Settings:
    """The settings after a door's `--allow-memory=...`; None leaves them alone."""
    return settings if allow is None else replace(settings, allow_memory=allow)


def load_routes(settings: Settings) -> "Routes":
    """The providers and tasks of the models' file (YAML or TOML); none without a file. Raises `InvalidInput`."""
    from remora.core.models.routes import Routes, parse_routes
    from remora.core.policy import MODEL_FILE_MAX_BYTES

    path = settings.llm_config
    if path is None:
        return Routes()
    try:
        with path.open("rb") as file:
            data = file.read(MODEL_FILE_MAX_BYTES + 1)
        if os.name == "posix" and path.stat().st_mode & stat.S_IWOTH:
            raise InvalidInput("models' file", f"{path} can be written by everybody", allowed="mode 0600 or 0644")
    except OSError as error:
        raise InvalidInput("models' file", f"{path} cannot be read: {error.strerror}") from error
    if len(data) > MODEL_FILE_MAX_BYTES:
        raise InvalidInput("models' file", f"{path} is larger than {MODEL_FILE_MAX_BYTES} bytes")
    return parse_routes(_table(path, data) or {})


def variable(name: str) -> str:
    """One environment variable that a models' file names for a key, "" when unset. Read when it is needed, not kept."""
    return os.environ.get(name, "").strip()


def _table(path: Path, data: bytes) -> object:
    problem = "is not UTF-8"
    try:
        text = data.decode("utf-8-sig")
        if path.suffix == ".toml":
            return tomllib.loads(text)
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError

        try:
            return YAML(typ="safe", pure=True).load(text)
        except (YAMLError, RecursionError, ValueError, TypeError):  # their words would repeat the file's
            problem = "is not YAML"
    except UnicodeDecodeError:
        pass
    except tomllib.TOMLDecodeError:
        problem = "is not TOML"
    raise InvalidInput("models' file", f"{path} {problem}", allowed="YAML or TOML, see config/llm.example.yaml")


def _llm_config(env: Mapping[str, str], config: Path | None) -> Path | None:
    chosen = env.get("REMORA_LLM_CONFIG")
    if chosen:
        return _absolute("REMORA_LLM_CONFIG", chosen)
    places = [config.parent / name for name in _LLM_FILES] if config else []
    return next((place for place in places if place.is_file()), None)


def _config_path(env: Mapping[str, str]) -> Path | None:
    if "REMORA_CONFIG" in env:
        return Path(env["REMORA_CONFIG"]).expanduser().absolute()
    base = env.get("XDG_CONFIG_HOME") or _home_folder(env, ".config")
    return Path(base) / "remora" / "config.toml" if base else None


def _home_folder(env: Mapping[str, str], name: str) -> str:
    home = env.get("HOME") or env.get("USERPROFILE") or ""
    return str(Path(home) / name) if home not in ("", "/") else ""


def _from_file(path: Path | None) -> tuple[dict[str, Any], list[str]]:
    if path is None or not path.is_file():
        return {}, []
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput("config file", f"{path} cannot be read: {error}", allowed="TOML in UTF-8") from error
    known: dict[str, type] = {
        "data_dir": str,
        "allow_memory": bool,
        "log_level": str,
        "log_json": bool,
        "api_token": str,
        "store": str,
        "store_user": str,
        "store_password_file": str,
        "store_database": str,
        "allow_network_fs": bool,
        "embeddings": str,
    }
    for key, value in data.items():
        if key in known and not isinstance(value, known[key]):
            raise InvalidInput(f"{path}: {key}", f"{value!r} is not a {known[key].__name__}")
    warnings = [f"{path}: unknown key {key!r} is ignored" for key in data if key not in known]
    if "api_token" in data and _readable_by_others(path):
        raise InvalidInput("config file", f"{path} holds a token but others can read it", allowed="mode 0600")
    return {key: value for key, value in data.items() if key in known}, warnings


def with_store(settings: Settings, url: str | None) -> Settings:
    """The settings after a door's `--store=...`; None leaves them alone."""
    return settings if url is None else replace(settings, store_url=url)


def _store_password(env: Mapping[str, str], configured: str) -> str:
    """From the environment, else from a file that only its owner may read."""
    if env.get("REMORA_STORE_PASSWORD"):
        return env["REMORA_STORE_PASSWORD"]
    name = "REMORA_STORE_PASSWORD_FILE" if env.get("REMORA_STORE_PASSWORD_FILE") else "store_password_file"
    chosen = env.get("REMORA_STORE_PASSWORD_FILE") or configured
    if not chosen:
        return ""
    path = _absolute(name, chosen)
    try:
        if _readable_by_others(path):
            raise InvalidInput(name, f"{path} can be read by others", allowed="mode 0600")
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(name, f"{path} cannot be read: {getattr(error, 'strerror', '') or 'not text'}") from error


def _readable_by_others(path: Path) -> bool:
    return os.name == "posix" and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def _flag(env: Mapping[str, str], name: str, default: bool) -> bool:
    raw = env.get(name)
    if raw is None or not raw.strip():
        return default
    word = raw.strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise InvalidInput(name, f"{raw!r} is not a switch", allowed="true or false")


def _choice(env: Mapping[str, str], name: str, default: str, allowed: tuple[str, ...]) -> str:
    word = (env.get(name) or default).strip().upper()
    if word in allowed:
        return word
    raise InvalidInput(name, f"{word!r} is unknown", allowed=", ".join(allowed))


def _absolute(name: str, chosen: str) -> Path:
    """A relative folder would be another one wherever a command or a server starts."""
    try:
        path = Path(chosen).expanduser()
    except RuntimeError:
        path = Path()
    if not path.is_absolute():
        raise InvalidInput(name, f"{chosen!r} is relative", allowed="an absolute path (~ is your home)")
    return path


def _data_dir(env: Mapping[str, str], configured: str) -> Path:
    name = "REMORA_DATA_DIR" if env.get("REMORA_DATA_DIR") else "data_dir"
    chosen = env.get("REMORA_DATA_DIR") or configured
    if chosen:
        return _absolute(name, chosen)
    if env.get("XDG_DATA_HOME"):
        return Path(env["XDG_DATA_HOME"]).absolute() / "remora"
    if not _home_folder(env, ""):
        raise InvalidInput("REMORA_DATA_DIR", "no home folder is known, so set it to a folder for Remora's data")
    # platformdirs costs 40 ms to import, so it is asked only when nothing nearer says where data lives.
    from platformdirs import user_data_path

    return user_data_path("remora", appauthor=False)
