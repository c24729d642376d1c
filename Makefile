# Development tasks. Each target first creates the virtual environment if necessary.

SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3.14 python3 python; do \
    $$name -c '$(SUPPORTED)' 2>/dev/null && echo $$name && break; done)
JOBS ?= 2
RELEASE_ARGUMENTS ?= --platforms
BIN := .venv/bin
unexport PYTHONDONTWRITEBYTECODE # hundreds of processes of the tests import what one has compiled

.PHONY: demo test test-slow lint types check bench docs release clean

demo: .venv/ready            ## convert and compare the bundled arm; output in out/demo
	$(BIN)/sdfbridge demo out/demo

test: .venv/ready-to-test    ## linter, type checker and all tests but the slow ones
	$(MAKE) -j 2 lint types check

check: .venv/ready-to-test
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m 'not slow' $(PYTEST_ARGUMENTS)

test-slow: .venv/ready-to-test ## the slow tests
	$(BIN)/pytest -n $(JOBS) --dist loadgroup -m slow $(PYTEST_ARGUMENTS)

lint: .venv/ready-to-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready-to-test
	$(BIN)/mypy

bench: .venv/ready-to-test     ## measure sdfbridge and every installed peer; table in docs/performance.md
	$(BIN)/python -m benchmarks

.venv/bin/python:
	@$(or $(PYTHON),false) -c '$(SUPPORTED)' 2>/dev/null || \
	    { echo 'Python 3.11 to 3.14 is needed; try: make PYTHON=/path/to/python3' >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/ready: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[report]'
	touch $@

.venv/ready-to-test: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]' # most modules are never imported
	touch $@ .venv/ready

docs: .venv/ready-to-test      ## build the documentation site in out/docs; anew, as Sphinx forgets index entries of pages that it does not read
	$(BIN)/sphinx-build -E -W --keep-going -q -b html docs out/docs

release: .venv/ready-to-test   ## build and try the distributions of the committed tree; output in out/release
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[release]'
	$(BIN)/python .ci/release.py out/release $(RELEASE_ARGUMENTS)

clean:                       ## remove the virtual environment and all output
	rm -rf .venv out
