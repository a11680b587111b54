package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// suite is where the suite is installed, and what runs it.
type suite struct{ node, dir string }

// program is a command of Node.js with the entry of a package.
func (s suite) program(ctx context.Context, entry string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, s.node, append([]string{filepath.Join(s.dir, "node_modules", entry)}, args...)...)
}

// address matches the line of the log in which the server names its URL.
var address = regexp.MustCompile(`url=(http://\S+)`)

// serve starts the server at a free port of the loopback interface. end ends it.
func serve(ctx context.Context, program string) (url string, end func(), err error) {
	cmd := exec.CommandContext(ctx, program, "-http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	end = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(os.Stderr, stderr) }()
			return m[1], end, nil
		}
		fmt.Fprintln(os.Stderr, lines.Text())
	}
	end()
	return "", nil, errors.New("the server ended before it served")
}

// run runs the suite and reads its results.
func (s suite) run(ctx context.Context, r run, url string) (outcome, error) {
	entry := filepath.Join(r.packages, "dist", "index.js")
	results, err := os.MkdirTemp("", "conformance-*")
	if err != nil {
		return outcome{}, err
	}
	defer func() { _ = os.RemoveAll(results) }()
	log, err := s.program(ctx, entry, append([]string{"server", "--url", url, "-o", results}, r.args...)...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) { // failing scenarios are read from the results
		return outcome{}, fmt.Errorf("%s: %w", r.name, err)
	}
	list, err := s.program(ctx, entry, "list", "--server").Output()
	if err != nil {
		return outcome{}, fmt.Errorf("%s: list the scenarios: %w", r.name, err)
	}
	found, err := readResults(results, names(list))
	if err == nil && len(found.failures) == 0 {
		err = fmt.Errorf("%s: no scenario was run:\n%s", r.name, log)
	}
	return found, err
}

// names are the scenarios of a list.
func names(list []byte) (out []string) {
	for _, line := range strings.Split(string(list), "\n") {
		if name, ok := strings.CutPrefix(line, "  - "); ok {
			name, _, _ = strings.Cut(name, " ")
			out = append(out, name)
		}
	}
	return out
}

// readResults reads a directory with a result for each scenario: its name, "server-" before and the
// time after it.
func readResults(dir string, known []string) (outcome, error) {
	out := outcome{failures: map[string][]string{}}
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		return out, err
	}
	for _, file := range files {
		name := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "server-")
		i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(name, k+"-20") })
		if i < 0 {
			return out, fmt.Errorf("%s is a result of no scenario", name)
		}
		if err := out.add(known[i], file); err != nil {
			return out, err
		}
	}
	for _, k := range known {
		if _, ok := out.failures[k]; !ok {
			out.left = append(out.left, k)
		}
	}
	return out, nil
}

// add adds the checks of a scenario.
func (o *outcome) add(scenario, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var checks []struct {
		ID      string `json:"id"`
		Status  string `json:"status"`
		Message string `json:"errorMessage"`
	}
	if err := json.Unmarshal(text, &checks); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	o.failures[scenario] = nil
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			o.passed++
		case "FAILURE":
			o.failures[scenario] = append(o.failures[scenario], c.ID+": "+c.Message)
		case "WARNING":
			o.warnings = append(o.warnings, scenario+" "+c.ID+": "+c.Message)
		}
	}
	return nil
}

// inspect has the Inspector check the tools of a server for portability, in both eras, and fails when it
// says anything.
func (s suite) inspect(ctx context.Context, program string) error {
	home, err := os.MkdirTemp("", "inspector-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(home) }()
	var problems []error
	for _, era := range []string{"legacy", "modern"} {
		for _, flags := range [][]string{nil, {"--all-tools", "--pilot", "--visibility", "static"}} {
			args := append([]string{"--cli", "--method", "tools/list", "--strict", "--protocol-era", era, "--format", "json", "--", program}, flags...)
			cmd := s.program(ctx, filepath.Join(".bin", "mcp-inspector"), args...)
			cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home) // the Inspector and the server keep files
			var report bytes.Buffer
			cmd.Stderr = &report
			list, err := cmd.Output()
			var answer struct {
				Result struct{ Tools []struct{ Name string } }
			}
			if err == nil {
				err = json.Unmarshal(list, &answer)
			}
			tools := len(answer.Result.Tools)
			fmt.Printf("inspector --strict --protocol-era %s, %q: %d tools, %d bytes of reports\n", era, flags, tools, report.Len())
			if err != nil || report.Len() > 0 || tools == 0 {
				problems = append(problems, fmt.Errorf("inspector, era %s, %q: %v\n%s", era, flags, err, report.String()))
			}
		}
	}
	return errors.Join(problems...)
}
