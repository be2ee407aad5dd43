# `make` alone lists the targets. Variables: PYTHON=python3.12, PORT=8001, SIMPLEMQ_DATA_DIR=…, DATABASE_URL=…

PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3)
PY := .venv/bin/python
INSTALLED := .venv/.installed
# Runs a command with a PostgreSQL and secrets that matter to nobody.
THROWAWAY := $(PY) -m simplemq.throwaway
# Checks what pip cannot install, and installs it where that is allowed.
NEEDS := $(PY) -m simplemq.prerequisites
PYTEST_ARGS ?= -n auto --dist loadgroup

.DEFAULT_GOAL := help
.PHONY: help setup run manage shell test test-slow lint format migrations bench bench-spark screenshots clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## Create .venv and install what the requirements files name

$(INSTALLED): requirements.txt requirements-dev.txt
	@command -v $(PYTHON) >/dev/null || { echo "SimpleMQ needs Python 3.11 or newer, and there is no '$(PYTHON)'."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "SimpleMQ needs Python 3.11 or newer: name one, for example 'make PYTHON=/usr/bin/python3.11'."; exit 1; }
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

# exec: a signal to make's child is a signal to the supervisor, with no shell in between.
run: $(INSTALLED) ## Start everything on PORT (8000), with a PostgreSQL of its own unless DATABASE_URL is set
	@exec $(PY) -m simplemq.serve

manage: $(INSTALLED) ## Run a command on the running service: make manage COMMAND="requeue_dlq --help"
	@data=$${SIMPLEMQ_DATA_DIR:-$(CURDIR)/.simplemq}; \
	  test -f "$$data/service.env" || { echo "Nothing runs from $$data: start it with 'make run' first."; exit 1; }; \
	  set -a; . "$$data/service.env"; exec $(PY) manage.py $(COMMAND)

shell: COMMAND = shell
shell: manage ## Open Django's shell on the running service

test: $(INSTALLED) ## Run the tests (all but the slow ones) against a real PostgreSQL
	@$(NEEDS) chromium java
	$(PY) -m pytest -m "not slow" $(PYTEST_ARGS)

test-slow: $(INSTALLED) ## Run the slow tests: crashes, restarts, large volumes
	@$(NEEDS) java
	$(PY) -m pytest -m slow

lint: $(INSTALLED) ## Check style, types, migrations, deployment settings and the container files
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(THROWAWAY) $(PY) -m mypy
	$(THROWAWAY) $(PY) manage.py makemigrations --check --dry-run
	SIMPLEMQ_HTTPS=true SIMPLEMQ_TRUSTED_PROXIES=1 $(THROWAWAY) $(PY) manage.py check --deploy --fail-level WARNING
	.venv/bin/hadolint Dockerfile
	$(PY) -c 'import yaml; yaml.safe_load(open("compose.yaml"))'

format: $(INSTALLED) ## Let ruff format the code and fix what it can
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

migrations: $(INSTALLED) ## Write migrations for changed models
	$(THROWAWAY) $(PY) manage.py makemigrations

bench: $(INSTALLED) ## Measure HTTP beside the SQL floor, and SQL beside a plain design: BENCH_ARGS="--seconds 5"
	@exec $(PY) -m benchmarks $(BENCH_ARGS)

bench-spark: $(INSTALLED) ## Measure the metrics job on 1 and 10 million messages: BENCH_SPARK_ARGS="--rows 20000"
	@$(NEEDS) java
	@exec $(PY) -m benchmarks.spark $(BENCH_SPARK_ARGS)

screenshots: $(INSTALLED) ## Take the README's pictures from a seeded demo; SCREENSHOT_ARGS="--every /tmp/pages" takes all
	@$(NEEDS) chromium
	@exec $(PY) -m tests.browser.screenshots $(SCREENSHOT_ARGS)

clean: ## Remove caches and test databases; the data of `make run` stays
	rm -rf .simplemq-test .mypy_cache .ruff_cache .pytest_cache .hypothesis staticfiles
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
