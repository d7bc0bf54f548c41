# Two commands: `make run` starts the counter, `make test` runs every test. Both install what is missing and say so.
# For who changes something: `make check`, before each commit.
.PHONY: run run-cluster test check prove build lint docs bench golden simulate clean
SHELL := /bin/bash

build:
	@scripts/setup
	@echo "Till is built; the first time this takes some minutes."
	@swift package resolve >/dev/null 2>&1 || swift package resolve
	@scripts/dependencies --warn
	@scripts/build --product till

run: build
	@exec .build/debug/till serve

# Three counters on a private PostgreSQL with a synchronous standby; says what to kill, and heals (docs/CLUSTER.md).
run-cluster: build
	@scripts/setup cluster
	@exec scripts/run-cluster

# Judges that are not part of this package, used where they lie beside the checkout: PayPal's own descriptions of its
# interface, and a maker of Apple Pay tokens by another hand.
export TILL_PAYPAL_SPECS ?= $(abspath $(wildcard ../shared/specs/paypal))
export TILL_APPLEPAY_SYNTH ?= $(abspath $(wildcard ../shared/tools/applepay_synth.py))

# Every test: what each push must pass.
test:
	@scripts/setup test
	@scripts/lint
	@scripts/test

# Before each commit: lint, and the tests of the rooms that differ from main, and of those that stand on them.
check:
	@scripts/check

# What takes hours: a million payments, thousands of deaths, long fuzzing, each safeguard switched off. Writes
# docs/PROOF.md. Some steps only: scripts/prove STEP….
prove:
	@scripts/setup test
	@scripts/prove

lint:
	@scripts/lint

# The documentation of every library, and whether its links lead somewhere.
docs:
	@scripts/docs

# Writes the golden receipts of Tests/GoldenReceipts anew; read the difference before it is committed.
golden:
	TILL_WRITE_GOLDEN=1 scripts/swift test --filter GoldenReceiptsTests

bench:
	Benchmarks/run

# Another world each time: SEED=$$RANDOM make simulate
simulate:
	@scripts/build --product till-simulate
	.build/debug/till-simulate --seed $${SEED:-1} --payments $${PAYMENTS:-100000}

clean:
	rm -rf .build .build-release
