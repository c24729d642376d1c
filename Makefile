# Everything from a fresh clone: each target makes what it needs, and does nothing twice.

PYTHON ?= python3.11
JOBS ?= 2
BIN := .venv/bin

.PHONY: demo test lint types check clean

demo: .venv/ready            ## the main job on the bundled arm, into out/demo
	$(BIN)/sdfbridge demo out/demo

test: lint types check       ## all tests, lint and types

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

clean:                       ## forget the environment and all output
	rm -rf .venv out
