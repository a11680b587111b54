package check

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/scripts/packaging/internal/client"
	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

// start asks every copy of this machine's program, and npm's shim, for its version and its tools.
func (r *Report) start(ctx context.Context, scratch string, copies []copyOf) error {
	var tools []byte
	program := ""
	for _, c := range copies {
		if c.target != target.Host() {
			continue
		}
		if c.program == target.SiteProgram {
			if err := r.askVersion(ctx, c); err != nil {
				return err
			}
			continue
		}
		program = c.file
		if err := r.ask(ctx, &tools, c.artifact, client.Server{Command: []string{c.file}}); err != nil {
			return err
		}
	}
	shims, _ := filepath.Glob(filepath.Join(scratch, "callsheet-[0-9]*.tgz", "package", "bin", target.Program))
	node, err := exec.LookPath("node")
	if err != nil || len(shims) == 0 || program == "" {
		return nil
	}
	shim := client.Server{Command: []string{node, shims[0]}, Env: []string{"CALLSHEET_BINARY_PATH=" + program}}
	return r.ask(ctx, &tools, "npm's shim", shim)
}

// askVersion asks a program that is no server for its version.
func (r *Report) askVersion(ctx context.Context, c copyOf) error {
	said, err := exec.CommandContext(ctx, c.file, "--version").Output()
	if err != nil {
		return fmt.Errorf("start %s of %s: %w", c.program, c.artifact, err)
	}
	if text := strings.TrimSpace(string(said)); text != c.program+" "+r.Version {
		r.problem("%s of %s says %q; server.json says %q", c.program, c.artifact, text, r.Version)
	}
	return nil
}

// ask starts one server twice: for the version that people see, and for what it says to clients. tools are those of the
// first server that was asked.
func (r *Report) ask(ctx context.Context, tools *[]byte, name string, s client.Server) error {
	a, err := client.Ask(ctx, s)
	if err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	cmd := exec.CommandContext(ctx, s.Command[0], append(s.Command[1:], "--version")...)
	cmd.Env = append(os.Environ(), s.Env...)
	said, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	if text := strings.TrimSpace(string(said)); text != "callsheet "+r.Version || a.Version != r.Version {
		r.problem("%s says %q, and %q to clients; server.json says %q", name, text, a.Version, r.Version)
	}
	if *tools == nil {
		*tools = a.Tools
	}
	if !bytes.Equal(*tools, a.Tools) {
		r.problem("%s answers tools/list with other bytes than %s", name, r.Started[0])
	}
	r.Started = append(r.Started, name)
	r.ToolsBytes = len(a.Tools)
	return nil
}
