# Two commands do everything on a fresh machine: `make report` and `make test`.
PYTHON ?= python3
MONTH ?=
VENV := .venv
BIN := $(VENV)/bin

# Where bytecode isn't written, each worker, server and kernel compiles fleetkit and its tests anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help report test check lab serve bench format picture clean

# mypy runs beside the tests, for it takes a single processor.
define run_checks
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy > $(VENV)/types.txt 2>&1 & types=$$!; \
	$(BIN)/pytest --dist loadfile --no-loadscope-reorder -q $(1); tests=$$?; \
	wait $$types || { cat $(VENV)/types.txt; exit 1; }; exit $$tests
endef

help:  ## Show these targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

report: $(VENV)/.installed-run  ## Build the monthly report from the embedded demo organisation
	@$(BIN)/fleetkit report --demo $(if $(MONTH),--month $(MONTH))

test: $(VENV)/.installed-test  ## Run every check and every test
	$(call run_checks,-n 3)

check: $(VENV)/.installed-test  ## The fast inner loop: ruff, mypy, fast tests
	$(call run_checks,-n 2 -m "not slow")

lab: $(VENV)/.installed-lab  ## Open JupyterLab on notebooks/
	@$(BIN)/jupyter lab --notebook-dir notebooks $(if $(filter 0,$(shell id -u)),--allow-root)

serve: $(VENV)/.installed-run  ## Serve the API with the demo organisation
	@$(BIN)/fleetkit serve --demo

bench: $(VENV)/.installed-bench  ## Print the ratios of every benchmark
	@missed=; for benchmark in benchmarks/[a-z]*.py; do echo "== $$benchmark"; \
	$(BIN)/python $$benchmark || missed="$$missed $$benchmark"; done; \
	test -z "$$missed" || { echo "not reached in$$missed"; exit 1; }

format: $(VENV)/.installed-test  ## Format the code, and write what follows from its public names
	@$(BIN)/python tests/declare.py
	@$(BIN)/python tests/extract.py
	@$(BIN)/ruff check --fix -q . ; $(BIN)/ruff format -q .

picture: $(VENV)/.installed-test  ## Take the README's picture of the explorers anew
	@$(BIN)/python tests/picture.py

clean:  ## Remove the environment and what was built
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache

# One stamp for each set of packages, renewed when pyproject.toml changes; none is worth anything
# where Python itself is gone, as after an upgrade that took the one which the environment links to.
$(shell test -e $(BIN)/python || rm -f $(VENV)/.installed-*)
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fleetkit needs Python 3.11 or newer; say make PYTHON=python3.11")'
	@$(PYTHON) -m venv $(VENV) --clear || { rm -rf $(VENV); exit 1; }

$(VENV)/.installed-run: pyproject.toml | $(VENV)/bin/python
	@echo "Installing fleetkit into $(VENV) (once; takes a minute) …"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(VENV)/bin/python
	@echo "Installing fleetkit[$*] into $(VENV) (once; takes a minute) …"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[$*]"
	@touch $@ $(VENV)/.installed-run
