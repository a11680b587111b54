// Package tooltest is the kit for tests of tools: servers with the wiring that ships, clients that
// call their tools over MCP, and sites of fixture pages on loopback. Every test package that uses
// it has a TestMain that calls Main.
//
// The servers of one test binary share one headless Chromium, which the first call that needs it
// starts; each client has an isolated session in it. The package must not know what any tool does.
package tooltest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
)

// SoakVariable names the environment variable that selects the long form of the tests that have
// one; see make soak.
const SoakVariable = "CALLSHEET_SOAK"

// closeTimeout bounds the end of the shared browser, whose profile a busy machine removes slowly.
const closeTimeout = time.Minute

// Shared has the shared parts of the servers of a test binary: the browser, the sessions in it and their
// artifacts. Main sets it.
var Shared *app.Backend

// Main runs the tests of a package and exits.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main for a package that has something to do before the process ends.
func Run(m *testing.M) int {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func run(m *testing.M) (code int, err error) {
	if err := os.Setenv(chromium.NoSandboxVariable, "1"); err != nil { // the pages of tests are trusted
		return 1, fmt.Errorf("let browsers of tests run as root: %w", err)
	}
	dir, err := os.MkdirTemp("", "callsheet-tools-test-")
	if err != nil {
		return 1, fmt.Errorf("make a state directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	Shared, err = app.NewBackend(app.Config{StateDir: dir, Browser: browser.Config{Headless: true}})
	if err != nil {
		return 1, fmt.Errorf("make the shared backend: %w", err)
	}
	code = m.Run()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := Shared.Close(ctx); err != nil {
		return 1, fmt.Errorf("close the browser: %w", err)
	}
	return code, nil
}
