SHELL := /bin/bash
PYTHON ?= python3
PORT ?= 2024
BIN := .venv/bin
INSTALLED := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: help setup run test soak check bench graph lock clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Pausepoint needs Python 3.11 or newer; set PYTHON=python3.12, for example." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	@touch $@

setup: $(INSTALLED) ## install everything into .venv

run: $(INSTALLED) ## load the sample campaigns and serve on 127.0.0.1 (PORT=2024)
	@$(BIN)/pausepoint up --port $(PORT)

test: $(INSTALLED) ## run every test
	$(BIN)/python -m pytest tests -m "not soak" -n 2 --dist loadfile

soak: $(INSTALLED) ## the full counts of crash, fuzz and load
	$(BIN)/python -m pytest tests -m soak --timeout 3600

check: $(INSTALLED) ## format, lint, types, import directions
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(INSTALLED) ## print every benchmark table
	$(BIN)/python -m bench

graph: $(INSTALLED) ## renew the graph's drawing in README.md
	$(BIN)/python docs/draw_graphs.py

lock: ## write requirements.lock anew from pyproject.toml
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --no-emit-index-url --extra dev --no-annotate --no-header pyproject.toml -o requirements.lock

clean: ## remove what the build made (data is kept)
	rm -rf .venv .pytest_cache .ruff_cache
