# make run    sets everything up and starts the page
# make test   sets everything up and runs all checks
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: run test bench plots clean

run: $(VENV)/.run
	$(BIN)/plyground serve --open

test: $(VENV)/.test $(VENV)/.browser
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
	$(INSTALL) -e ".[web]"
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) -e ".[test]"
	@touch $@ $(VENV)/.run

# the tests of the page run in Chromium, installed where that is possible
$(VENV)/.browser: $(BIN)/python
	@command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || \
	  command -v google-chrome || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && timeout 300 sh -c \
	  'apt-get -q update && { apt-get -q install -y --no-install-recommends chromium-headless-shell || \
	  apt-get -q install -y --no-install-recommends chromium; }' > /dev/null 2>&1; } || \
	  echo "make: there is no Chromium here and none can be installed: the tests of the page will be skipped"
	@touch $@

clean:
	rm -rf $(VENV) build dist src/*.egg-info
