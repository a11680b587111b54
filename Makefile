# Every target that a person or CI needs. `make help` lists them.
.DEFAULT_GOAL := help
GO      ?= go
BIN     := bin
HTTP    ?= 127.0.0.1:9876
FUZZ    ?= 30s
BENCH   ?= .
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)

.PHONY: run build test soak generate check lint lint-capabilities bench fuzz release browser help

run: build browser ## Install what is missing, build, and serve at http://127.0.0.1:9876/mcp
	$(BIN)/callsheet --http $(HTTP)

build: ## Build bin/callsheet
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/callsheet ./cmd/callsheet

browser: ## Install Chromium from the system's packages unless there is one
	@scripts/install-chromium

test: browser ## Run every test, against real headless Chromium
	$(GO) vet ./...
	$(GO) test ./...

soak: browser ## Walk at random through every state, 200 times 100 steps (about 20 minutes)
	CALLSHEET_SOAK=1 $(GO) test -run 'TestRandomWalks|TestAHiddenTool' -timeout 90m -count 1 -v ./tools

generate: ## Compile manifest/ into generated/
	$(GO) generate ./...

check: lint lint-capabilities test ## Everything that guards a change
	$(GO) generate ./...
	git add -N . && git diff --exit-code
	$(GO) mod tidy -diff

lint: ## golangci-lint with .golangci.yml
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run

lint-capabilities: ## Fail while a tool has no capability, or generated/ is stale
	$(GO) tool toolgen check

bench: ## Run the benchmarks, with allocations (BENCH=regexp)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

fuzz: ## Run each fuzzer for a while (FUZZ=30s)
	@scripts/fuzz $(FUZZ)

release: lint-capabilities ## Build release binaries; fails on an untagged tool
	$(GO) build -tags release ./...
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
	  ext=$$( [ $$os = windows ] && echo .exe ); \
	  echo "dist/callsheet-$$os-$$arch$$ext"; \
	  GOOS=$$os GOARCH=$$arch CGO_ENABLED=0 $(GO) build -tags release -trimpath -ldflags '$(LDFLAGS)' \
	    -o dist/callsheet-$$os-$$arch$$ext ./cmd/callsheet || exit 1; \
	done; done

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
