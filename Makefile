# One line each to run; on a bare machine with git, make and Python >= 3.11 nothing else is needed.
PYTHON ?= python3
BIN := .venv/bin
# What touches libraries most: tables in and out, the command line, exact numbers, certificates and plans.
LOWEST := tests/cli tests/tables tests/design tests/estimation tests/exact tests/audit tests/document tests/survey tests/views tests/words tests/service/test_collector.py tests/service/test_analyst.py tests/service/test_hostile_clients.py tests/service/test_queued_requests.py tests/service/test_server_signals.py tests/service/storage tests/once/agent tests/test_core.py tests/test_lowest.py
# For tests that may take longer than the watchdog of the default ones allows.
PATIENT := -o faulthandler_timeout=1200
STAMP := .venv/.installed
# One process for each processor, with a part of the files each, of which who is done first takes from the others' ends:
# a file's tests share what is slow to make, and no long file is left to the end.
SPREAD := -n logical --maxprocesses 8 --dist worksteal
# So that processes do not take each other's processors.
export OPENBLAS_NUM_THREADS ?= 1
# Of `make use-all`.
TALLIES ?= 2000
# Of `make test-faults`.
MINUTES ?= 60
# Compiled files are kept even where the environment says otherwise: each process that a test starts would compile all anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo demo-live example-health example-series test test-lowest test-spark test-live gallery gallery-check proofs proofs-faults screenshots test-long use use-all release-check npm vectors locks schemas site test-mutants test-faults check counts format bench bench-spark clean

demo: $(STAMP)  ## the whole path on a million people; writes sordino-demo.html
	$(BIN)/sordino demo

demo-live: $(STAMP)  ## a survey in four languages: links, simulated devices, a form, a dashboard, estimates by region; until Ctrl-C
	$(BIN)/python scripts/demo_live.py $(LIVE)

example-health: $(STAMP)  ## real health data, attributes that are not equally sensitive; writes sordino-health/
	$(BIN)/python examples/health/run.py $(HEALTH)

example-series: $(STAMP)  ## a year of a simulated city, each person asked in one week; writes sordino-series/
	$(BIN)/python examples/series/run.py $(SERIES)

test: $(STAMP)  ## the default tests, minutes on two cores
	$(BIN)/python -m pytest $(SPREAD) $(PYTEST)

test-lowest: .venv-lowest/.installed  ## with the oldest libraries that pyproject.toml allows; their warnings are their own
	.venv-lowest/bin/python -m pytest -W default::DeprecationWarning $(LOWEST) $(SPREAD) $(PATIENT) $(PYTEST)
	scripts/java.sh
	.venv-lowest/bin/python -m pytest -W default::DeprecationWarning -m spark tests/tables/spark/test_session.py -k "command_starts or java_starts" $(PATIENT) $(PYTEST)

test-spark: .venv-spark/.installed  ## on Spark, which needs Java 17: Debian's is installed where it is missing
	scripts/java.sh
	.venv-spark/bin/python -m pytest -m spark tests/tables/spark $(PATIENT) $(PYTEST)

test-live: .venv-live/.installed  ## what needs Node, Chromium, PostgreSQL, nginx or Go: the browser client, stores, a proxy, a client in Go; Debian's are installed where they are missing
	scripts/live.sh
	.venv-live/bin/python -m pytest -m "live and not long" tests/service tests/mutants $(PATIENT) $(PYTEST)

gallery: .venv-gallery/.installed  ## the notebooks of examples/gallery: runs their files and keeps what they show; GALLERY=names some alone
	.venv-gallery/bin/python scripts/make_gallery.py $(GALLERY)

gallery-check: .venv-gallery/.installed  ## whether the notebooks run, and print the words that are kept of them; a minute on two cores
	.venv-gallery/bin/python scripts/make_gallery.py --check $(GALLERY)

proofs: $(STAMP)  ## the theorems of proofs/, checked by Coq, with the axioms of each, and the verified checker, on plans of SURVEYS=40 random surveys; Debian's Coq is installed where it is missing
	scripts/coq.sh
	scripts/proofs.sh
	$(BIN)/python scripts/compare_numbers.py build/proofs/checker-numbers
	$(BIN)/python scripts/compare_numbers.py build/proofs/checker-bits-numbers 20
	$(BIN)/python scripts/compare_verdicts.py build/proofs/checker
	$(BIN)/python scripts/compare_malformed.py build/proofs/checker
	$(BIN)/python scripts/compare_plans.py build/proofs/checker $(SURVEYS)

proofs-faults: proofs  ## planted faults of what is not verified of the checker, each found by what `make proofs` compares
	$(BIN)/python scripts/checker_faults.py build/proofs

screenshots: .venv-live/.installed  ## the README's pictures of the dashboard, anew
	scripts/live.sh
	SORDINO_SCREENSHOTS=docs .venv-live/bin/python -m pytest -m live tests/service/test_dashboard_live.py $(PYTEST)

test-long: $(STAMP)  ## exhaustive and statistical tests, and more examples of what holds for all; SORDINO_THIRD=0 to 2 runs a third of them
	$(BIN)/python -m pytest -m "(long or statistical or hypothesis) and not live" --hypothesis-profile=long $(SPREAD) $(PATIENT) $(PYTEST)

use: $(STAMP)  ## the table of ordinary use, survey to page at 30 to 10,000,000 reports, on each linear-algebra kernel of this processor; and how often intervals hold
	set -e; for kernel in $$($(BIN)/python scripts/kernels.py); do echo "kernel $$kernel"; OPENBLAS_CORETYPE=$$kernel $(BIN)/python -m pytest -m use tests/use $(SPREAD) $(PATIENT) $(PYTEST); done
	$(BIN)/python -m pytest -m counted tests/use $(SPREAD) $(PATIENT) $(PYTEST)

use-all: $(STAMP)  ## all rows of that table, with TALLIES=2000 surveys of each some hours on two cores; writes docs/use.md
	$(BIN)/python -m pytest -m "use or use_all" tests/use $(SPREAD) $(PATIENT) $(PYTEST)
	PYTHONPATH=tests:tests/use $(BIN)/python scripts/make_use.py $(TALLIES)

test-mutants: $(STAMP)  ## planted faults, each killed by a named test; SORDINO_SIXTH=0 to 5 runs a sixth of them (of the client's too, in test-live)
	$(BIN)/python -m pytest -m "mutants and not live" tests/mutants $(SPREAD) --dist load $(PATIENT) $(PYTEST)

# With PostgreSQL's crashes where `make test-live` has installed it, with Spark's where `make test-spark` has; the table says what was not run.
test-faults: $(STAMP)  ## kills, lies and damage at random for MINUTES=60: a table of what was tried and held
	SORDINO_FAULT_MINUTES=$(MINUTES) SORDINO_FAULT_SPARK=$(if $(wildcard .venv-spark/.installed),$(CURDIR)/.venv-spark/bin/python) $(if $(wildcard .venv-live/.installed),.venv-live/bin,$(BIN))/python -m pytest -m faults -s tests/faults -o faulthandler_timeout=$$((60 * $(MINUTES) + 600)) $(PYTEST)

check: $(STAMP)  ## lint, format, strict types, import rules
	$(BIN)/ruff check && $(BIN)/ruff format --check && $(BIN)/mypy && $(BIN)/lint-imports

counts: $(STAMP)  ## how well the house is kept: names, circles of files, walks through rooms, readings of a table
	$(BIN)/python scripts/counts.py

format: $(STAMP)
	$(BIN)/ruff check --fix; $(BIN)/ruff format

release-check: $(STAMP) .venv-release/.installed check  ## all of a release but its upload: each role's install, the same bytes twice, a bill of materials; writes dist/
	$(BIN)/python -m pytest -m "long or not long" tests/test_installs.py $(PATIENT) $(PYTEST)
	.venv-release/bin/python scripts/release_check.py

npm: .venv-live/.installed  ## the browser client as a package for npm, and its test; writes dist/sordino-client-VERSION.tgz
	scripts/live.sh
	command -v npm >/dev/null || scripts/debian.sh "The package for npm needs" npm
	.venv-live/bin/python scripts/make_npm.py
	.venv-live/bin/python -m pytest -m "live and long" tests/service/client/test_npm.py $(PATIENT) $(PYTEST)

vectors: $(STAMP)  ## the golden vectors for clients in other languages; writes dist/sordino-vectors-VERSION.tar.gz
	$(BIN)/python scripts/make_vectors.py

schemas: $(STAMP)  ## docs/schemas: the JSON Schemas of surveys, plans and reports; and the browser client's fields of a plan
	$(BIN)/python scripts/make_schemas.py

site: .venv-docs/.installed  ## the documentation as a site in build/site; every link and anchor is checked, nothing asks a network
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet
	.venv-docs/bin/python scripts/check_site.py

locks: .venv-release/.installed  ## locks/server.txt: versions and hashes of what a collector's container installs, as new as pyproject.toml allows
	rm -f locks/server.txt
	.venv-release/bin/python scripts/release_check.py --write-lock

bench: $(STAMP) .venv-peers/.installed  ## figures against peers, as ratios in one run; writes docs/benchmarks.md, BENCH=files its part alone
	$(BIN)/python benchmarks/run.py $(BENCH)

bench-spark: .venv-spark/.installed  ## what Spark costs beside DuckDB; writes the table of docs/scale.md, MILLIONS="1 10" rows
	scripts/java.sh
	.venv-spark/bin/python benchmarks/scale.py $(MILLIONS)

$(STAMP): pyproject.toml
	@echo "Setting up .venv; this takes about a minute."
	@$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group test --group check --group data --group forms --group example
	touch $@

.venv-lowest/.installed: pyproject.toml scripts/lowest.py
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-lowest/bin/python scripts/lowest.py > .venv-lowest/lowest.txt
	.venv-lowest/bin/python -m pip install --quiet --editable ".[all,spark]" --group test --constraint .venv-lowest/lowest.txt
	touch $@

# Spark is as large as all other libraries together, and knows no pandas that is as new as theirs.
.venv-spark/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-spark
	.venv-spark/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-spark/bin/python -m pip install --quiet --editable ".[all,spark]" --group test
	touch $@

# Playwright brings a Node of its own, and drives the Chromium that Debian has.
.venv-live/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-live
	.venv-live/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-live/bin/python -m pip install --quiet --editable ".[all]" --group test --group live
	touch $@

.venv-gallery/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-gallery
	.venv-gallery/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-gallery/bin/python -m pip install --quiet --editable ".[all]" --group gallery
	touch $@

.venv-release/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-release/bin/python -m pip install --quiet --group release
	touch $@

# mkdocs reads docstrings without importing them: the package itself is not installed there.
.venv-docs/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-docs/bin/python -m pip install --quiet --group docs
	touch $@

# The peers get an environment of their own: pure-ldp leaves out what it needs, and breaks on today's xxhash.
.venv-peers/.installed: benchmarks/peers.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --requirement benchmarks/peers.txt
	touch $@

clean:
	rm -rf .venv .venv-lowest .venv-spark .venv-live .venv-gallery .venv-peers .venv-release .venv-docs build/site dist sordino-demo sordino-demo.html sordino-health
