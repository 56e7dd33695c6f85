# make run    sets everything up and starts a game in the terminal
# make test   sets everything up and runs all checks
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: run test bench plots clean

run: $(VENV)/.run
	$(BIN)/plyground play tictactoe

test: $(VENV)/.test
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy
	$(BIN)/pytest

bench: $(VENV)/.test
	$(BIN)/plyground bench

plots: $(VENV)/.test
	$(BIN)/plyground bench scaling --plot docs/scaling.svg

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if (3, 11) <= v < (3, 14) else "Plyground needs Python 3.11 to 3.13, this is %d.%d: make PYTHON=python3.12" % v[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) -e .
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) -e ".[test]"
	@touch $@ $(VENV)/.run

clean:
	rm -rf $(VENV) build dist src/*.egg-info
