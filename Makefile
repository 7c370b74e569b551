# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin
MODELS := .venv-models/bin
SOURCES := src tests benchmarks

# What is imported is compiled once. Of what is installed for tests most is never imported, hence --no-compile.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-models lint types layers tests format docs docs-site clean

demo: .venv/.core
	$(BIN)/placecell demo --out demo-out

test: lint types layers tests

lint: .venv/.dev
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)

types: .venv/.dev
	$(BIN)/mypy

layers: .venv/.dev
	$(BIN)/lint-imports --no-cache

tests: .venv/.dev
	$(BIN)/pytest -n 2 --dist worksteal

# The model adapters with torch and transformers, in an environment of their own; no weights are downloaded.
test-models: .venv-models/.done
	$(MODELS)/pytest tests/models

format: .venv/.dev
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

# Generated pages and pictures: operations, diagnostics, command line, the picture of the README.
docs: .venv/.dev
	$(BIN)/python -m placecell.apps.reference docs

# The pages as a site, in site/; a link that leads nowhere fails.
docs-site: .venv/.dev
	$(BIN)/mkdocs build --strict

clean:
	rm -rf site .venv .venv-models demo-out .mypy_cache .ruff_cache .pytest_cache

.venv/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "placecell needs Python 3.11 or newer; set one with: make PYTHON=python3.12 ..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.dev: .venv/.core
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[all]' --group dev
	touch $@

.venv-models/.done: .venv/.core
	test -x $(MODELS)/python || $(PYTHON) -m venv --without-pip .venv-models
	$(BIN)/python -m pip --python $(MODELS)/python install --quiet --no-compile --editable '.[models,train,vlm]' --group test
	touch $@
