# Everything a contributor does. Needs Python 3.11 or newer with venv, make and git; makes its own .venv.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test bench torture lint format types check schemas docs catalogue clean

VENV := .venv
PY := $(VENV)/bin/python
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(PY) -m pip install --quiet --editable
# What demo runs and what developing needs are installed apart: the demo should start soon.
RUNTIME := $(VENV)/.installed
DEV := $(VENV)/.installed-dev

CODE := gitwfp tests $(wildcard benchmarks)
LOCALE := gitwfp/locale
POT := build/gitwfp.pot
DEMO :=
ARGS :=

help:  ## This list.
	@sed -n 's/^\([a-z]*\):.*  ## /  make \1	/p' Makefile

demo: $(RUNTIME)  ## The main job in a temporary repository, which stays (DEMO=folder: there).
	@$(VENV)/bin/git-wfp demo $(DEMO)

test: $(DEV)  ## The test suite (ARGS="..." are handed to pytest).
	@$(PY) -m pytest -n 2 $(ARGS)

bench: $(DEV)  ## Benchmarks, each beside a reference measured in the same run.
	@$(PY) -m benchmarks $(ARGS)

torture: $(DEV)  ## Kills the real command at random, and runs many of them at once (minutes).
	@$(PY) -m benchmarks.torture $(ARGS)

lint: $(DEV)  ## Format, lint and import contracts.
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/lint-imports

format: $(DEV)  ## Formats the code and mends what can be mended safely.
	@$(VENV)/bin/ruff check --fix-only --quiet .
	@$(VENV)/bin/ruff format .

types: $(DEV)  ## Strict types on package and tests.
	@$(VENV)/bin/mypy $(CODE)

check: lint types test  ## What CI checks.

schemas: $(DEV)  ## Writes the published JSON Schemas from the code.
	@$(PY) -m gitwfp.cli.schema_files

# The transcripts are those of a real run.
docs: $(DEV)  ## Writes anew what is told of commands: reference, manual, completion, transcripts.
	@$(PY) -m gitwfp.cli.reference
	@$(PY) -m gitwfp.cli.rulebook
	@$(PY) -m gitwfp.cli.manual
	@$(PY) -m gitwfp.cli.wordlist
	@$(PY) -m gitwfp.cli.helpfile
	@WFP_REWRITE_DOCS=1 $(PY) -m pytest -q tests/test_readme.py tests/test_tutorial.py tests/test_requests.py

# Without dates and line numbers, so that a catalogue changes only when a sentence does.
catalogue: $(DEV)  ## Collects the sentences for translators and compiles the translations.
	@mkdir -p $(dir $(POT))
	@$(VENV)/bin/pybabel --quiet extract --no-default-keywords \
		--keyword say --keyword say_n:1,2 --no-location --sort-output --project gitwfp \
		--copyright-holder "the gitwfp contributors" --msgid-bugs-address "see CONTRIBUTING.md" \
		--output $(POT) gitwfp
	@$(VENV)/bin/pybabel --quiet update --domain gitwfp --input-file $(POT) --output-dir $(LOCALE) \
		--no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date --no-wrap
	@$(VENV)/bin/pybabel compile --domain gitwfp --directory $(LOCALE) --statistics

clean:  ## Removes what the tools leave behind, the environment too.
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Also when the folder is there but its Python has gone: the link then leads nowhere.
$(PY):
	@found=; for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
		if $$name -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
			>/dev/null 2>&1; then found=$$name; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "error: no Python 3.11 or newer with its venv module was found." >&2; \
		echo "hint: on Debian and Ubuntu, install python3 and python3-venv." >&2; \
		exit 6; \
	fi; \
	rm -rf $(VENV) && $$found -m venv $(VENV)

$(RUNTIME): pyproject.toml $(PY)
	@$(PIP) .
	@touch $@

$(DEV): pyproject.toml $(PY)
	@$(PIP) '.[dev]'
	@touch $@ $(RUNTIME)
