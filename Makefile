# make play   the robot plays turns in simulation, with a live account
# make test   every test
# Each sets itself up first: a .venv, pinned packages, and the few system libraries that are missing.

PYTHON := .venv/bin/python
STAMP := .venv/.ready

.PHONY: help setup play test check bench lock

help:
	@sed -n 's/^# //p' Makefile

setup: $(STAMP)

$(STAMP): requirements.txt requirements-dev.txt requirements-models.txt pyproject.toml tools/setup
	tools/setup
	@touch $(STAMP)

play: $(STAMP)
	.venv/bin/steadyhand play --players Robot-1,Robot-2 --turns 2

test: $(STAMP)
	$(PYTHON) -m pytest -n 3 --dist worksteal

check: $(STAMP)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	$(PYTHON) -m mypy
	.venv/bin/lint-imports
	$(PYTHON) tools/check_links.py

bench: $(STAMP)
	$(PYTHON) -m benchmarks.all

# Pin the packages anew, with hashes and without addresses; needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  -q requirements.in -o requirements.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  -q requirements-dev.in -o requirements-dev.txt
