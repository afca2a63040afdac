# Every verb sets up what it needs: a machine with make and Python 3.11 or later is enough.
#
#   make train PYTHON=python3.12        use another Python for .venv
#   make setup PIP_FLAGS="..."          hand options to pip, such as the index in constraints.txt

PYTHON ?= python3
PIP_FLAGS ?=

VENV := .venv
RUN := $(VENV)/bin/python
INSTALL := $(RUN) -m pip install --disable-pip-version-check $(PIP_FLAGS) --constraint constraints.txt
INSTALLED := $(VENV)/.installed
INSTALLED_BENCH := $(VENV)/.installed-bench

.DEFAULT_GOAL := help
.PHONY: help setup train test check thorough bench strength tables

help:  ## list the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED)  ## set up everything in .venv

train: $(INSTALLED)  ## train a first agent for about three minutes and print how it plays
	$(RUN) train.py --minutes 3

test: $(INSTALLED)  ## pass the tests
	$(RUN) -m pytest

check: $(INSTALLED)  ## lint, format, types, spelling and layers
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	$(VENV)/bin/codespell
	$(RUN) -m pytest -q tests/test_layers.py tests/test_public_names.py

thorough: $(INSTALLED)  ## the long proofs: a million deals beside the reference, and every property at length
	$(RUN) -m tests.differential --deals 1000000 --jobs 2
	HYPOTHESIS_PROFILE=thorough $(RUN) -m pytest -m thorough

bench: $(INSTALLED_BENCH)  ## measure speeds beside the neighbours', write and draw them in results/
	@mkdir -p results
	$(RUN) -m bench --output results/speeds.json --chart results

strength: $(INSTALLED)  ## play the strength tables, write results/strength.json and docs/strength.md
	@mkdir -p results
	$(RUN) -m agents.strength --jobs 2 --store runs/strength

tables: $(INSTALLED)  ## print the generated documents
	$(RUN) -m piquet_env.tables

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "piquet-env needs Python 3.11 or later, and '$(PYTHON)' is not: try make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable '.[train,dev]'
	@touch $@

$(INSTALLED_BENCH): $(INSTALLED)
	$(INSTALL) --editable '.[bench]'
	@touch $@
