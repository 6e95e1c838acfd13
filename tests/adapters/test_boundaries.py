"""Couplings across languages on small projects labelled by hand: every one is found, and none that is not."""

import json
import shutil
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_checkout import Checkout

PROJECTS = Path(__file__).parent.parent / "fixtures" / "boundaries"
CASES = sorted(folder.name for folder in PROJECTS.iterdir() if (folder / "labels.json").is_file())


def project(case: str, folder: Path) -> Checkout:
    shutil.copytree(PROJECTS / case, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("labels.json"))
    return Checkout(folder)


def couplings(checkout: Checkout, kind: str = "couples") -> set[tuple[str, str]]:
    rows = json.loads(checkout.export())["edges"]
    sure = [row for row in rows if row["kind"] == kind and row["tier"] != "AMBIGUOUS"]
    return {(row["source"].partition(":")[2], row["target"].partition(":")[2]) for row in sure}


@pytest.mark.parametrize("case", CASES)
def test_every_coupling_is_found_and_no_other(case: str, tmp_path: Path) -> None:
    checkout = project(case, tmp_path)
    checkout.index()
    labels = json.loads((PROJECTS / case / "labels.json").read_text("utf-8"))
    wanted = {(source, target) for source, target in labels["couples"]}
    found = couplings(checkout)
    assert found == wanted, (sorted(wanted - found), sorted(found - wanted))


@pytest.mark.parametrize("case", CASES)
def test_a_boundary_is_a_node_between_who_reaches_for_it_and_what_handles_it(case: str, tmp_path: Path) -> None:
    checkout = project(case, tmp_path)
    checkout.index()
    serves = {}
    for node, target in couplings(checkout, "serves"):
        serves.setdefault(node, set()).add(target)
    through = {(source, target) for source, node in couplings(checkout, "crosses") for target in serves.get(node, ())}
    assert {edge for edge in through if edge[0] != edge[1]} == couplings(checkout)


@pytest.mark.parametrize("case", CASES)
def test_an_incremental_build_is_the_full_one_when_any_file_goes_and_comes_back(case: str, tmp_path: Path) -> None:
    checkout = project(case, tmp_path / "edited")
    checkout.index()
    whole = checkout.state()
    with checkout.code_graph.read() as reader:
        paths = sorted(row.path for row in reader.files())
    for number, path in enumerate(paths):
        file = tmp_path / "edited" / path
        text = file.read_bytes()
        file.unlink()
        checkout.index()
        fresh = Checkout(checkout.root, tmp_path / f"rest{number}")
        fresh.index(full=True)
        assert checkout.state() == fresh.state(), path
        file.write_bytes(text)
        checkout.index()
        assert checkout.state() == whole, path


_WORDS = ("users", "orders", "v1", "v2", "{number}", "")
_SERVER = (
    "from fastapi import APIRouter, FastAPI\n{use}\napp = FastAPI()\nrouter = APIRouter(prefix='/{a}')\n"
    "@router.{verb}('/{b}')\ndef one(): ...\n@app.get('/{c}')\ndef two(): ...\n"
    "app.include_router(router, prefix='/{b}')\n"
    "app.include_router({other}, prefix='/{c}')\n"
)
_CLIENT = (
    "import {{ send }} from './{use}';\nconst BASE = '/{a}';\n"
    "export function send(path) {{ return fetch(BASE + path); }}\n"
    "export const one = () => send('/{b}');\n"
    "export const two = () => fetch(`${{BASE}}/{c}`, {{ method: '{verb}' }});\n"
)


def _edit(random: Random, root: Path) -> None:
    names = ("a", "b", "c")
    words = {key: random.choice(_WORDS) for key in "abc"} | {"verb": random.choice(("get", "post"))}
    if random.random() < 0.5:
        other = random.choice(names)
        use = f"from {other} import router as other"
        target, text = root / f"{random.choice(names)}.py", _SERVER.format(use=use, other="other", **words)
    else:
        target, text = root / f"{random.choice(names)}.js", _CLIENT.format(use=random.choice(names), **words)
    if target.exists() and random.random() < 0.2:
        target.unlink()
    else:
        target.write_text("\n" * random.randint(0, 2) + text)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_boundaries_follow_any_edit_anywhere(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    random = Random(seed)
    checkout = Checkout(tmp_path_factory.mktemp("law"))
    other = Checkout(checkout.root, tmp_path_factory.mktemp("full"))
    for step in range(random.randint(2, 4)):
        for _ in range(random.randint(1, 2) if step else 6):
            _edit(random, checkout.root)
        checkout.index()
        other.index(full=True)
        assert checkout.state() == other.state()


def test_a_changed_route_links_clients_in_other_files_anew(tmp_path: Path) -> None:
    checkout = project("fastapi_from_typescript", tmp_path)
    checkout.index()
    main = tmp_path / "server" / "main.py"
    main.write_text(main.read_text("utf-8").replace('prefix="/v1"', 'prefix="/v2"'), "utf-8")
    result = checkout.index()
    assert (result.mode, result.parsed, result.relinked) == ("incremental", 1, 1)
    found = couplings(checkout)
    assert ("web/client.ts#otherMount", "server/routers/users.py#read_user") in found
    assert ("web/client.ts#getUser", "server/routers/users.py#read_user") not in found
