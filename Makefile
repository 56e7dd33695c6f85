# make run    sets everything up and starts the page
# make test   sets everything up and runs all checks
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# uv installs with a seventh of pip's CPU, so what the tests need is worth getting it first where there is none; pip is
# there in any case, and alone knows where this machine keeps packages of its own
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile
UV := $(or $(shell command -v uv),$(BIN)/uv)
# versions and digests of all that is installed; wheels alone, since a source may ask for anything while it is built
LOCKED := --no-deps --require-hashes --only-binary :all: -r
HERE := --no-deps --no-build-isolation -e .
define install # what; pip does what uv does not
test -x $(UV) && $(UV) pip install --quiet --python $(BIN)/python $(1) || $(PIP) $(1)
endef

# bytecode is written by whoever imports a module first, even where Python is told to write none: to compile all that is
# installed takes a minute, and most of it is never imported; to write none takes as long, in hundreds of processes
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test quick durations lowest bench plots docs wheel lock clean

run: $(VENV)/.run
	$(BIN)/plyground serve --open

test: $(VENV)/.test $(VENV)/.browser
	$(BIN)/ruff check src tests docs setup.py
	$(BIN)/ruff format --check src tests docs setup.py
	$(BIN)/mypy
	$(BIN)/pytest

# the inner loop: all checks but the tests that take longest
quick: $(VENV)/.test
	$(BIN)/ruff check src tests docs setup.py
	$(BIN)/mypy
	$(BIN)/pytest --quick

# how long tests take, which says what begins first and what is quick; once more when kernels are there
durations: $(VENV)/.test
	$(BIN)/pytest
	$(BIN)/pytest --record-durations

# the core of the tests on the oldest versions that pyproject.toml allows, which uv finds and pip does not
LOWEST := $(VENV)/lowest/bin
lowest: $(BIN)/python
	$(BIN)/python -m venv --clear $(VENV)/lowest
	$(LOWEST)/python -m pip install -qq --disable-pip-version-check uv
	$(LOWEST)/uv pip install --quiet --python $(LOWEST)/python --resolution lowest-direct -e ".[lowest]"
	$(LOWEST)/pytest -k "not bench" tests/jit tests/test_spec.py tests/test_cli.py tests/web/test_views.py

bench: $(VENV)/.test
	$(BIN)/plyground bench

plots: $(VENV)/.test
	$(BIN)/plyground bench scaling --plot docs/scaling.svg

# the site, from docs/ and the docstrings
docs: $(VENV)/.test
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build
	@echo "the site is docs/_build/index.html"

# a wheel for this platform and this minor version of Python, which has kernels compiled; pip builds one for all of them
wheel: $(VENV)/.run
	rm -rf build
	$(BIN)/plyground warmup --into build/kernels
	PLYGROUND_KERNELS=build/kernels $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if (3, 11) <= v < (3, 15) else "Plyground needs Python 3.11 to 3.14, this is %d.%d: make PYTHON=python3.12" % v[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(BIN)/python pyproject.toml requirements/run.txt
	$(call install,$(LOCKED) requirements/run.txt)
	$(call install,$(HERE))
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml requirements/uv.txt requirements/test.txt requirements/torch.txt
	@test -x $(UV) || $(PIP) $(LOCKED) requirements/uv.txt || echo "make: there is no uv here: pip takes a little longer"
	$(call install,$(LOCKED) requirements/test.txt)
	$(PIP) -r requirements/torch.txt
	$(call install,$(HERE))
	@touch $@ $(VENV)/.run

# what is installed, from pyproject.toml, for every machine and Python at once; needs uv.  Versions stay as they are where
# they still fit: make lock UPGRADE=--upgrade takes the newest
COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --only-binary :all: \
  --excludes requirements/torch.txt --annotation-style line --custom-compile-command "make lock" $(UPGRADE)
TORCH_NEEDS := filelock fsspec jinja2 networkx sympy typing-extensions
lock:
	printf '%s\n' $(TORCH_NEEDS) | $(COMPILE) --extra test -o requirements/test.txt pyproject.toml -
	echo uv | $(COMPILE) -o requirements/uv.txt -
	echo setuptools | $(COMPILE) --extra web -c requirements/test.txt -o requirements/run.txt pyproject.toml -

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
	rm -rf $(VENV) build dist docs/_build src/*.egg-info
