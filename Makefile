# make run    set up what is missing, open examples/ in VS Code with the extension
# make test   set up what is missing, run every check and test
# Each set-up step leaves a stamp and is skipped while the stamp is newer than what it was made from.

SHELL := /bin/sh
.DELETE_ON_ERROR:
.PHONY: run test setup lint check-python check-vscode test-python test-vscode vsix bench bench-click docs screenshot clean

PYTHON ?= python3
PY := .venv/bin/python
EXT := vscode-extension
# Two workers: what a small machine has.
WORKERS ?= 2
PYTEST_ARGS ?=

run: .venv/.ready $(EXT)/uir.vsix
	@scripts/run.sh

test: setup
	@$(PY) scripts/run_tests.py

# What `make test` runs, one piece each, in the order of scripts/run_tests.py.
lint: check-python check-vscode

check-python: .venv/.ready
	$(PY) -m ruff check compiler lsp tests scripts
	$(PY) -m mypy

check-vscode: $(EXT)/node_modules/.ready
	cd $(EXT) && npm run --silent check

test-python: .venv/.ready
	$(PY) -m pytest -n $(WORKERS) $(PYTEST_ARGS)

test-vscode: .cache/.browser tests/vscode/node_modules/.ready $(EXT)/uir.vsix
	node scripts/test_vscode.mjs

vsix: $(EXT)/uir.vsix

bench: .venv/.ready
	$(PY) tests/bench/lsp.py

# From the click on Run to the result, in a real VS Code, and where the time goes.
bench-click: .cache/.browser tests/vscode/node_modules/.ready $(EXT)/uir.vsix
	node tests/bench/click.mjs

# Rewrites docs/{reference,diagnostics,transformations}.md, which are made from the compiler's tables.
docs: .venv/.ready
	$(PY) -m uopc.documentation docs

# Rewrites docs/editor.png, the README's picture, from the real editor.
screenshot: .cache/.browser tests/vscode/node_modules/.ready $(EXT)/uir.vsix
	UIR_PICTURE=docs/editor.png node scripts/test_vscode.mjs pictures

setup: .venv/.ready $(EXT)/node_modules/.ready tests/vscode/node_modules/.ready $(EXT)/uir.vsix .cache/.browser .cache/.editors

.venv/.ready: pyproject.toml
	@scripts/setup_python.sh "$(PYTHON)"
	@touch $@

$(EXT)/node_modules/.ready: $(EXT)/package-lock.json
	@scripts/npm_ci.sh $(EXT)
	@touch $@

tests/vscode/node_modules/.ready: tests/vscode/package-lock.json
	@scripts/npm_ci.sh tests/vscode
	@touch $@

.cache/.browser: scripts/install_browser.sh scripts/install_vscode.sh
	@mkdir -p .cache
	@scripts/install_vscode.sh
	@scripts/install_browser.sh
	@touch $@

# No stamp while one is missing, so that it is said each time.
.cache/.editors: scripts/install_editors.sh
	@mkdir -p .cache
	@scripts/install_editors.sh $@

PYTHON_SOURCES := $(shell find compiler/uopc lsp/uir_lsp lsp/uir_dap -name '*.py' 2>/dev/null) $(wildcard docs/*.md)
EXT_SOURCES := $(shell find $(EXT)/src $(EXT)/media $(EXT)/syntaxes $(EXT)/snippets -type f 2>/dev/null) \
  $(EXT)/package.json $(EXT)/language-configuration.json $(EXT)/README.md $(EXT)/CHANGELOG.md

$(EXT)/uir.vsix: .venv/.ready $(EXT)/node_modules/.ready pyproject.toml scripts/build_vsix.sh scripts/bundle_server.py $(PYTHON_SOURCES) $(EXT_SOURCES) $(wildcard examples/*.uir)
	@scripts/build_vsix.sh

clean:
	rm -rf .cache out $(EXT)/dist $(EXT)/server $(EXT)/examples $(EXT)/uir.vsix $(EXT)/node_modules tests/vscode/node_modules .venv/.ready
