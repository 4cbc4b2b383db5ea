# "make help" lists the verbs. Nothing happens here: each verb is a call into scripts/.
.DEFAULT_GOAL := build
.PHONY: help build fetch apply export test test-tool test-upstream test-cases lint demo bench

run := ./scripts/run

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

build: ## the default: fetch, check, patch, compile; prints the sum and the line for your go.mod (RELEASE=vX.Y.Z)
	@$(run) build $(RELEASE)

fetch: ## download a release and check it against its pin (RELEASE=vX.Y.Z)
	@$(run) fetch $(RELEASE)

apply: ## make the patched tree in upstream/sarama (FORCE=1 drops your work there, INEXACT=1 allows offsets)
	@$(run) apply $(RELEASE) $(if $(FORCE),--force) $(if $(INEXACT),--inexact)

export: ## turn the commits in upstream/sarama back into patches/ (FORCE=1 overwrites newer patches)
	@$(run) export $(if $(FORCE),--force)

test: ## everything that needs Go, git and make alone, with the race detector
	@$(run) test

test-tool: ## only the tests of the tool
	@$(run) test tool

test-upstream: ## only upstream's tests and those of the series, in upstream/sarama as it is
	@$(run) test upstream

test-cases: ## only the black-box tests in test/
	@$(run) test cases

lint: ## golangci-lint, pinned (the first time, compiling it takes some minutes)
	@./scripts/lint

demo: build ## unpatched and patched Sarama side by side, with three of five brokers hanging
	@GOFLAGS=-buildvcs=false GOWORK=off GOTOOLCHAIN=local go run -C test/kfake ./demo

bench: build ## what a refresh costs on a healthy cluster, patched against unpatched
	@./scripts/bench
