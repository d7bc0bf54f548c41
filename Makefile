# Two commands: `make run` starts the counter, `make test` runs every test. Both install what is missing and say so.
.PHONY: run test build lint docs bench golden simulate clean
SHELL := /bin/bash

build:
	@scripts/setup
	@echo "Building till (the first time takes some minutes)…"
	@swift build --product till

run: build
	@exec .build/debug/till serve

# What the tests leave behind is kept when one fails: databases, logs, books of the stand-ins. Swift's own temporary
# folders, which it does not remove, are there too.
LEFT := $(CURDIR)/.build/tests

# Judges that are not part of this package, used where they lie beside the checkout: PayPal's own descriptions of its
# interface, and a maker of Apple Pay tokens by another hand.
export TILL_PAYPAL_SPECS ?= $(abspath $(wildcard ../shared/specs/paypal))
export TILL_APPLEPAY_SYNTH ?= $(abspath $(wildcard ../shared/tools/applepay_synth.py))

# Searches and simulations, which take every core: apart from the tests that talk over sockets and wait for an answer.
LONG := SimulationTests|ScheduleTests|OfflineDaysTests

test:
	@scripts/setup test
	@$(MAKE) --no-print-directory lint
	@rm -rf $(LEFT) && mkdir -p $(LEFT)
	TMPDIR=$(LEFT) swift build --build-tests
	TMPDIR=$(LEFT) TILL_PEERS=1 swift test --skip-build --skip '$(LONG)'
	TMPDIR=$(LEFT) TILL_PEERS=1 swift test --skip-build --filter '$(LONG)'
	@scripts/docs
	.build/debug/till-simulate --payments 100000
	TMPDIR=$(LEFT) TILL_BIN=$(CURDIR)/.build/debug/till \
		.build/peers/bin/pytest -q -p no:cacheprovider Tests/Peers
	@rm -rf $(LEFT)

lint:
	swift format lint --strict --recursive --parallel Sources Tests Examples Benchmarks Package.swift
	@scripts/lint-js

# The documentation of every library, and whether its links lead somewhere.
docs:
	@scripts/docs

# Writes the golden receipts of Tests/GoldenReceipts anew; look at the difference before it is committed.
golden:
	TILL_WRITE_GOLDEN=1 swift test --filter GoldenReceiptsTests

bench:
	Benchmarks/run

# Another world each time: SEED=$$RANDOM make simulate
simulate:
	@swift build --product till-simulate
	.build/debug/till-simulate --seed $${SEED:-1} --payments $${PAYMENTS:-100000}

clean:
	rm -rf .build .build-release
