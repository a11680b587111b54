# Every target that a person or CI needs. `make help` lists them.
.DEFAULT_GOAL := help
GO      ?= go
BIN     := bin
HTTP    ?= 127.0.0.1:9876
FUZZ    ?= 30s
RUNS    ?= 10
BENCH   ?= .
# Profiles of mcpbench to measure beside ours, and its flags.
PROFILES   ?= floor-cdp-pipe
BENCHFLAGS ?= -rounds 5
TARGETS ?= all
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# The modules of this repository: the compiler and its toolkit are required without the browser, and releases are made
# with libraries of package formats that the server has no use for.
MODULES := . gen scripts/packaging
# The compiler is tested and vetted from the root, whose programs link it, so that it is compiled once.
COMPILER := github.com/callsheet/callsheet/gen
# How many packages are tested at a time: tests wait for browsers, so one more than there are cores.
JOBS    ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# The browsers of tests and measurements run as root, too: their pages are trusted. Those of `make run` do not.
export CALLSHEET_NO_SANDBOX ?= 1
LDFLAGS := -s -w -X main.version=$(VERSION)

.PHONY: run build vet test nightly lint-changed verify-quick verify-packages examples soak soak-control soak-faults soak-attach soak-crawl soak-ci test-postgres conformance test-netns vet-windows link-windows generate check lint lint-capabilities vulnerabilities notices verify verify-export verify-person ui-pictures bench bench-peers proxy-peers bench-scale widgets widgets-install fuzz release browser help

run: export CALLSHEET_NO_SANDBOX :=
run: build browser ## Install what is missing, build, and serve at http://127.0.0.1:9876/mcp
	$(BIN)/callsheet --http $(HTTP)

build: ## Build bin/callsheet and bin/callsheet-site
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/callsheet ./cmd/callsheet-site

browser: ## Install Chromium from the system's packages unless there is one
	@scripts/install-chromium

examples: ## Install the pinned MCP server that examples/frontend uses
	@command -v npm >/dev/null || { echo 'examples/frontend needs npm; its test is skipped'; exit 0; }; \
	  [ -d examples/frontend/node_modules ] || npm ci --prefix examples/frontend --ignore-scripts --no-audit --no-fund

vet: ## Check every package with go vet
	$(GO) vet ./... $(COMPILER)/...
	$(GO) -C scripts/packaging vet ./...

test: browser examples vet ## Run every test but the longest, against real headless Chromium
	JOBS=$(JOBS) scripts/test

nightly: ## Run everything, the longest tests too: the gates below, lint, Windows, Postgres, releases (over an hour; needs root and npm)
	scripts/nightly

soak: browser ## Walk at random through every state, act at random on hostile pages, call twenty thousand times (about two hours)
	CALLSHEET_SOAK=1 CALLSHEET_NIGHTLY=1 $(GO) test -run 'TestRandomWalks|TestRandomCallsAnswer|TestHiddenTools|TestFlows|TestRandomActing|TestTheServerDoesNotGrow' -timeout 180m -count 1 -v ./tools ./tools/act ./tools/skill ./cmd/callsheet

soak-control: browser ## Have a person and an agent alternate on one page two hundred times, with another seed each time (half a minute)
	CALLSHEET_SOAK=1 CALLSHEET_NIGHTLY=1 $(GO) test -run 'TestAlternation' -count 1 -v ./internal/session/control

soak-faults: browser ## End and kill servers and browsers by the hundred, and reload and read twenty thousand times (about an hour and a half)
	CALLSHEET_SOAK=1 CALLSHEET_NIGHTLY=1 $(GO) test -run 'TestEndDuringLaunch|TestKilledServersLeaveNothing|TestKilledBrowserProcesses|TestReadAfterReload|TestCostOfDatabaseFaults' -timeout 180m -count 1 -v ./cmd/callsheet ./tools ./tools/continuity

soak-attach: browser ## Attach to restless pages fifty thousand times, or for twenty minutes, under the race detector
	CALLSHEET_SOAK=1 $(GO) test -race -run 'TestConcurrentAttaches' -timeout 30m -count 1 -v ./internal/engine/browser

soak-crawl: ## Crawl ten thousand pages while workers are killed, and measure one, two and four of them (about fifteen minutes)
	CALLSHEET_SOAK=1 CALLSHEET_NIGHTLY=1 $(GO) test -run 'TestKilledWorkersLoseNothing|TestWorkerProcessesScale|TestAKilledServer' -timeout 60m -count 1 -v ./internal/work/crawl ./cmd/callsheet

soak-ci: ## Run all of CI in clean clones, one after the other, beside two busy loops (RUNS=10, about thirteen minutes each without the loops)
	scripts/soak-ci $(RUNS)

test-postgres: ## Run the tests of jobs on a Postgres of their own (installs Debian's if there is none)
	scripts/with-postgres $(GO) test -count 1 ./internal/work/jobs ./internal/work/crawl

test-netns: ## Crawl with workers, and serve with browsers, in three network namespaces of which one is cut off (needs root)
	scripts/test-netns

vet-windows: ## Type-check and vet everything for Windows, tests too
	@for m in $(MODULES); do GOOS=windows $(GO) -C $$m vet ./... || exit 1; done

link-windows: ## Link every test program for Windows (about ten minutes)
	@for m in $(MODULES); do for p in $$($(GO) -C $$m list ./...); do GOOS=windows $(GO) -C $$m test -c -o /dev/null $$p || exit 1; done; done

generate: ## Compile manifest/ into generated/
	$(GO) generate ./...

check: lint lint-capabilities test vulnerabilities ## Everything that guards a change
	$(GO) generate ./...
	git add -N . && git diff --exit-code
	@for m in $(MODULES) $(dir $(wildcard examples/*/go.mod)); do $(GO) -C $$m mod tidy -diff || exit 1; done

vulnerabilities: ## govulncheck, where its database can be reached
	@if curl -fsS -m 20 -o /dev/null https://vuln.go.dev/index/db.json; then $(GO) run golang.org/x/vuln/cmd/govulncheck@latest ./... github.com/callsheet/callsheet/gen/...; \
	else echo 'vulnerabilities: not checked, because https://vuln.go.dev cannot be reached'; fi

notices: ## Write dist/THIRD_PARTY_NOTICES, the licences of the linked modules, as a release does
	@mkdir -p dist
	$(GO) -C scripts/packaging run . notices -root ../.. >dist/THIRD_PARTY_NOTICES

lint: ## golangci-lint with .golangci.yml, on everything
	@failed=0; for m in $(MODULES); do (cd $$m && $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run) || failed=1; done; exit $$failed

lint-changed: ## golangci-lint on the packages that changed since the merge base with origin/main
	scripts/lint-changed

lint-capabilities: ## Fail while a tool has no capability, or generated/ is stale
	$(GO) tool toolgen check

verify-quick: build lint-capabilities ## The gates of each change: sizes, powers, what a client is sent, a skill under a filter, types of scripts, readings beside the accessibility tree (needs curl, jq and npm)
	scripts/verify/size
	scripts/verify/powers
	scripts/verify/list-size
	scripts/verify/capability-filter
	scripts/verify/tools-only
	scripts/verify/cap-filter-skill
	scripts/verify/script-types
	$(MAKE) --no-print-directory oracle-twentieth

verify: verify-quick ## Those, and break promises, exchange handlers, refuse stale releases, and use the compiler from other modules
	scripts/verify/mutations
	scripts/verify/swaps
	scripts/verify/release
	scripts/verify/require
	scripts/verify/examples
	scripts/verify/walk

conformance: ## Run the official conformance suite against examples/conformance, and the MCP Inspector against callsheet (needs npm)
	scripts/conformance

verify-export: browser ## Export ten recorded flows as Go and TypeScript tests, and run those (needs npm)
	npm ci --prefix examples/replay --ignore-scripts --no-audit --no-fund
	CALLSHEET_EXPORT=1 $(GO) test -run TestExportedTests -count 1 -v -timeout 30m ./tools/skill

ui-pictures: browser ## Take the pictures of docs/how-to/watch.md
	CALLSHEET_UI_PICTURES=$(CURDIR)/docs/images $(GO) test -run TestPicturesOfTheDocs -count 1 ./internal/ui/...

verify-person: browser ## Record six flows of a person, replay each 20 times, run their exports (needs npm)
	npm ci --prefix examples/replay --ignore-scripts --no-audit --no-fund
	CALLSHEET_PERSON=20 $(GO) test -run TestPersonFlows -count 1 -v -timeout 30m ./cmd/callsheet

bench: ## Run the benchmarks, with allocations (BENCH=regexp)
	@for m in $(MODULES); do $(GO) -C $$m test -run '^$$' -bench '$(BENCH)' -benchmem ./... || exit 1; done

bench-peers: build ## Measure beside peers: MCPBENCH=mcpbench, CHROMIUM=browser, PEERS=npm prefix (bench/README.md)
	@test -x "$(MCPBENCH)" || { echo "MCPBENCH must name the mcpbench program; see bench/README.md"; exit 2; }
	MYBIN=$(CURDIR)/$(BIN)/callsheet $(MCPBENCH) $(BENCHFLAGS) -out bench/results -ratio-to "floor: CDP pipe" \
	  -server bench/callsheet.json $(foreach p,$(PROFILES),-server $(dir $(MCPBENCH))profiles/$(p).json)

bench-scale: build browser ## Measure 1 to 200 sessions of one server over HTTP (SCALEFLAGS="-sessions 50 -peer 'npx @playwright/mcp … --port N'")
	$(GO) run ./bench/scale $(SCALEFLAGS)

.PHONY: questions
questions: build browser ## Ask what a developer asks, of this server and of chrome-devtools-mcp (DEVTOOLS='node …/chrome-devtools-mcp.js --headless --isolated'; needs npm for it)
	$(GO) test -count 1 -v -timeout 60m -run TestQuestions ./bench/questions -args -callsheet '$(CURDIR)/$(BIN)/callsheet --headless' -devtools '$(DEVTOOLS)' $(QUESTIONFLAGS)

widgets-install: ## Install the pinned component libraries that the widget suite drives (900 MB, needs npm)
	scripts/npm-packages bench/widgets/testdata
	cd bench/widgets/testdata && node_modules/.bin/esbuild src/*.jsx --bundle --minify --outdir=dist --jsx=transform \
	  --define:process.env.NODE_ENV='"production"' --log-level=warning

widgets: build browser widgets-install ## Solve tasks on pages of component libraries (WIDGETFLAGS="-show -only antd")
	$(GO) test -count 1 -v -timeout 90m -run TestWidgets ./bench/widgets -args -server '$(CURDIR)/$(BIN)/callsheet' $(WIDGETFLAGS)

.PHONY: tasks tasks-install
tasks-install: ## Install the pinned packages whose pages the task suite drives (400 MB, needs npm)
	scripts/npm-packages bench/tasks/testdata
	cd bench/tasks/testdata && node_modules/.bin/esbuild src/*.jsx --bundle --minify --outdir=dist --jsx=automatic \
	  --define:process.env.NODE_ENV='"production"' --log-level=error --loader:.woff=dataurl --loader:.woff2=dataurl \
	  --loader:.ttf=dataurl --loader:.eot=empty --loader:.svg=dataurl --loader:.png=dataurl --loader:.cur=dataurl

tasks: build browser tasks-install ## Do tasks on pages of packages from npm with one call a step and with steps, and compare (TASKFLAGS="-only konva -show")
	$(GO) test -count 1 -v -timeout 30m -run 'TestTasks|TestWholeReadings' ./bench/tasks -args -server '$(CURDIR)/$(BIN)/callsheet --headless' $(TASKFLAGS)

.PHONY: oracle oracle-install oracle-twentieth
oracle-install: ## Install the pinned libraries whose examples the oracle reads (60 MB, needs npm)
	scripts/npm-packages bench/oracle/testdata

oracle: build browser oracle-install ## Compare readings with Chromium's accessibility tree (ORACLEFLAGS="-part 10 -only govuk", "-widgets ../widgets/testdata")
	$(GO) test -count 1 -v -timeout 60m -run TestOracle ./bench/oracle -args -server '$(CURDIR)/$(BIN)/callsheet --all-tools' $(ORACLEFLAGS)

oracle-twentieth: build browser oracle-install ## The same on each twentieth page, without those of the widget suite
	$(GO) test -count 1 -v -timeout 60m -run TestOracle ./bench/oracle -args -server '$(CURDIR)/$(BIN)/callsheet --all-tools' -part 20

.PHONY: audit-widgets
audit-widgets: browser widgets-install ## Hold audits against axe-core itself on pages of twelve component libraries
	CALLSHEET_AUDIT_WIDGETS=1 $(GO) test -run TestAxeOnComponentLibraries -count 1 -v ./internal/engine/audit

.PHONY: audit-peers
audit-peers: browser ## Measure audit beside lighthouse_audit of chrome-devtools-mcp on the same pages (needs npm)
	CALLSHEET_AUDIT_PEERS=1 $(GO) test -run TestAuditPeers -count 1 -v ./tools/audit

proxy-peers: browser ## Hold the proxy's answers against four servers from npm (needs npm)
	TOOLGEN_PEERS=1 $(GO) -C gen test -run 'TestPeers|TestProxy|TestHTTP' -count 1 -v ./cmd/toolgen

.PHONY: site-acceptance
site-acceptance: build browser ## Complete tasks in three applications with their sites and without, redesign them and change their meaning (needs npm, and apt-get as root; CALLSHEET_WRITE_SITES=1 writes docs/internals/measurements.md)
	CALLSHEET_SITES=1 CALLSHEET_PROGRAM=$(CURDIR)/$(BIN)/callsheet $(GO) test -count 1 -v -timeout 30m ./internal/site/acceptance

fuzz: ## Run each fuzzer for a while (FUZZ=30s)
	@scripts/fuzz $(FUZZ)

release: lint-capabilities ## Make the files of a release in dist/ (VERSION=1.2.3), and check them; fails on a stale generated/ (TARGETS=linux/amd64 for some)
	$(GO) build -tags release ./...
	$(GO) -C scripts/packaging run . build -root ../.. -out ../../dist -version '$(VERSION)' -targets '$(TARGETS)'
	$(GO) -C scripts/packaging run . check ../../dist

verify-packages: ## Install a release in Debian roots without Go or a compiler, and read a page with each (needs root, mmdebstrap; npm)
	scripts/verify/packages

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
