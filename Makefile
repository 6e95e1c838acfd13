# Everything a developer runs. A fresh machine needs Python 3.11+ and make; each target installs what it uses.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
REPO ?= .
STAMP := $(VENV)/.installed
export PYTHONDONTWRITEBYTECODE=1

.DEFAULT_GOAL := help
# What needs a server at all.
OF_SERVER := tests/contract $(sort $(wildcard tests/adapters/test_neo4j_*.py)) tests/usecases/test_engines_agree.py \
  tests/entrypoints/test_store_cli.py tests/entrypoints/test_the_story.py
# What also runs with all memory on the server engine: the use cases that write, and the doors end to end.
ON_SERVER := $(addprefix tests/usecases/,facts test_encounter_recall.py test_encounter_spine.py test_encounter_writing.py \
  test_infusion.py test_orient_and_gds.py test_read_cypher.py test_principal_matrix.py) \
  $(addprefix tests/entrypoints/,test_the_story.py test_mcp_stdio.py test_http_api.py test_encounter_doors.py \
  test_encounter_http.py test_principal_doors.py)

.PHONY: help install demo test test-browser test-neo4j test-slow check lint types imports docs bench bench-graph clean

help: ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(BIN)/uv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(STAMP): pyproject.toml uv.lock | $(BIN)/uv
	UV_PROJECT_ENVIRONMENT=$(VENV) $(BIN)/uv sync --quiet --frozen --all-extras --inexact
	@touch $@

install: $(STAMP) ## Make .venv with everything in it

demo: $(STAMP) ## Index, ingest, remember and recall on the repository REPO=path (default: this one)
	$(BIN)/remora demo --repo "$(REPO)"

test: $(STAMP) ## The whole suite that needs no server
	$(BIN)/pytest -n auto --dist worksteal
	@echo "The page is tested in a real browser by \`make test-browser\` (needs Chromium)."

test-browser: $(STAMP) ## The page in a real Chromium; screenshots are kept in .benchmarks/page
	@[ -n "$$REMORA_CHROMIUM" ] || command -v chromium chromium-browser >/dev/null || { \
	  echo "no Chromium found: install it (Debian: apt-get install chromium) or name it in REMORA_CHROMIUM"; exit 1; }
	$(BIN)/pytest -m browser tests/browser -n 2 --dist loadfile

test-neo4j: $(STAMP) ## The same on a real Neo4j: the one in REMORA_TEST_NEO4J, else one that is fetched and started
	$(BIN)/python tests/servers/bolt_server.py run -- sh -ec '$(BIN)/pytest -m "neo4j and not slow" $(OF_SERVER); \
	  REMORA_TEST_EVERYWHERE=1 $(BIN)/pytest -n auto --dist worksteal $(ON_SERVER)'

test-slow: $(STAMP) ## The soak, chaos and large runs in full
	$(BIN)/pytest -m slow --timeout 3600

lint: $(STAMP) ## Style
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks

types: $(STAMP) ## Types
	$(BIN)/mypy

imports: $(STAMP) ## Rooms and their directions
	$(BIN)/lint-imports

check: lint types imports ## Style, types, rooms and the house tests (under a minute)
	$(BIN)/pytest -n auto tests/house

docs: $(STAMP) ## Regenerate docs/reference.md from the catalogue
	$(BIN)/python -m remora.entrypoints.catalogue.reference > docs/reference.md

# Left out: the graph has a recipe of its own; a server, a dialogue set and a suite of calls must be named by hand.
BY_HAND := $(addprefix benchmarks/bench_,graph.py neo4j.py dialogue.py pycg.py)

bench: $(STAMP) ## The benchmarks; each prints a table and a JSON line
	@for bench in $(filter-out $(BY_HAND),$(wildcard benchmarks/bench_*.py)); do echo "== $$bench"; PYTHONPATH=tests $(BIN)/python $$bench || exit 1; done

bench-graph: $(STAMP) ## The code graph on three real trees beside public peers, their anchors and ctags (fetches them)
	PYTHONPATH=tests $(BIN)/python benchmarks/bench_graph.py
	PYTHONPATH=tests $(BIN)/python benchmarks/check_anchors.py

clean: ## Remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
