# Development tasks. Each target first creates the virtual environment if necessary.

PYTHON ?= python3.11
JOBS ?= 2
BIN := .venv/bin

.PHONY: demo test lint types check clean

demo: .venv/ready            ## convert and compare the bundled arm; output in out/demo
	$(BIN)/sdfbridge demo out/demo

test: lint types check       ## linter, type checker and all tests

check: .venv/ready-to-test
	$(BIN)/pytest -n $(JOBS)

lint: .venv/ready-to-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready-to-test
	$(BIN)/mypy

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/ready: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[report]'
	touch $@

.venv/ready-to-test: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ .venv/ready

clean:                       ## remove the virtual environment and all output
	rm -rf .venv out
