# Two commands: `make run` starts the counter, `make test` runs every test. Both install what is missing and say so.
.PHONY: run test build lint bench simulate clean
SHELL := /bin/bash

build:
	@scripts/setup
	@echo "Building till (the first time takes some minutes)…"
	@swift build --product till

run: build
	@exec .build/debug/till serve

test:
	@scripts/setup test
	@$(MAKE) --no-print-directory lint
	swift build --build-tests
	TILL_PEERS=1 swift test --skip-build
	TILL_BIN=$(CURDIR)/.build/debug/till .build/peers/bin/pytest -q -p no:cacheprovider Tests/Peers -k "not random_deaths"

lint:
	swift format lint --strict --recursive --parallel Sources Tests Package.swift

bench:
	Benchmarks/run

simulate:
	swift run till-simulate

clean:
	rm -rf .build .build-release
