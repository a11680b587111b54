// Command manifests measures what a manifest of many tools costs: it writes a synthetic server with
// that many tools, generates and builds it, edits one description, and generates and builds it
// again.
//
//	go run ./bench/manifests -tools 1000
//
// CPU is user and system time of a step's processes, peak the largest resident set of one of them,
// total the largest sum over all of them. The packages that every server needs are built before, so
// that each figure is about the tools.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	tools := flag.Int("tools", 1000, "how many tools the manifest has")
	keep := flag.String("dir", "", "where to write the module, which is kept (default: a temporary directory)")
	flag.Parse()
	if err := run(*tools, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "manifests:", err)
		os.Exit(1)
	}
}

func run(tools int, dir string) error {
	repo, err := os.Getwd()
	if err != nil {
		return err
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "manifests"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	toolgen := filepath.Join(dir, "toolgen.bin")
	build := exec.Command("go", "build", "-o", toolgen, "github.com/callsheet/callsheet/gen/cmd/toolgen")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build toolgen: %w: %s", err, out)
	}
	m := module{dir: dir, tools: tools}
	nonce := strconv.FormatInt(time.Now().UnixNano(), 36)
	if err := m.write(repo, nonce); err != nil {
		return fmt.Errorf("write the module: %w", err)
	}
	warm := []string{"go", "build", "github.com/callsheet/callsheet/gen/toolkit/mcpserver", "github.com/callsheet/callsheet/gen/toolkit/command"}
	if _, err := measure(dir, warm); err != nil {
		return err
	}
	fmt.Printf("%d tools in %d areas\n", tools, m.areas())
	return steps(m, toolgen, nonce)
}

// steps generates and builds, edits one description, and generates and builds again.
func steps(m module, toolgen, nonce string) error {
	generate := []string{toolgen, "generate"}
	compile := []string{"go", "build", "-o", "server.bin", "."}
	for _, step := range []struct {
		name string
		args []string
		edit bool // edit a description before
	}{
		{"generate", generate, false},
		{"build", compile, false},
		{"generate again, nothing edited", generate, false},
		{"generate, one description edited", generate, true},
		{"build, one description edited", compile, false},
	} {
		if step.edit {
			if err := m.edit(m.areas()/2, "edit "+nonce); err != nil {
				return err
			}
		}
		cost, err := measure(m.dir, step.args)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Printf("  %-34s %s\n", step.name, cost)
	}
	return nil
}
