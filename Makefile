# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Hundreds of programs that are started in the tests would be compiled anew each time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-slow checks check format docs seed browser clean arena-check bench bench-peers

PEERS := .bench/browsergym/.ready .bench/browser_use/.ready .bench/webagent/.ready

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $(READY)

browser: $(READY) ## get a Chromium where none is found
	@$(BIN)/webagent install-browser >/dev/null

run: browser ## set everything up and find the zip code of CMU on the map site
	$(BIN)/webagent run "find zip code of CMU" --site maps

test: browser ## set everything up and run the tests
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test-slow: browser ## the tests that take minutes
	$(BIN)/python -m pytest -m slow

checks: browser ## every check of docs/security.md, the slow ones too
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "" -k test_check_ tests/test_checks_*.py

arena-check: browser ## every scripted solution and near miss of the arena: minutes
	$(BIN)/webagent bench arena --solutions --near-misses --jobs 4

.bench/%/.ready: benchmarks/contenders/%.txt
	@test -x .bench/$*/bin/python || $(PYTHON) -m venv .bench/$*
	.bench/$*/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

bench-peers: $(PEERS) ## environments of the programs that are measured

bench: browser $(PEERS) ## all benchmarks, written into docs/benchmarks.md: half an hour
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	$(BIN)/python -m benchmarks

check: $(READY) ## format, lint, types, generated docs, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/cog --check --check-fail-msg "run make docs" README.md docs/security.md
	$(BIN)/python -m pytest -q tests/test_layers.py

format: $(READY) ## bring the code into the house's form
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

docs: $(READY) ## write the generated parts of the README and of docs/security.md anew
	$(BIN)/cog -r README.md docs/security.md

seed: browser ## rebuild workflows.db by running tasks
	$(BIN)/python scripts/seed.py workflows.db

clean: ## remove what was built here
	rm -rf $(VENV) .bench build dist .mypy_cache .ruff_cache .pytest_cache
