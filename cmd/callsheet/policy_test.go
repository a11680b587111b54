package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// TestPolicyVerbs prints a policy, checks it and others, and asks which line decides, with the real
// program.
func TestPolicyVerbs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(code int, args ...string) string {
		t.Helper()
		cmd := command(t, append([]string{"policy"}, args...)...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // the exit code says it
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("policy %v: exit %d, want %d: %s", args, got, code, out)
		}
		return string(out)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("p.yaml", run(exit.OK, "init"))
	says(t, run(exit.OK, "check", "p.yaml"), "is a valid policy")
	write("bad.yaml", "version: 1\ndecisions:\n  - {power: navigatoin, decision: deny}\n")
	says(t, run(exit.Tool, "check", "bad.yaml"), `bad.yaml:3:13: there is no power "navigatoin"; did you mean "navigation"?`, "^~~")
	says(t, run(exit.Usage, "check", "none.yaml"), "none.yaml")
	says(t, run(exit.Usage, "check"), "takes a policy file")
	says(t, run(exit.Usage, "explain", "--policy", "bad.yaml", "https://shop.example"), "did you mean")
	says(t, run(exit.OK, "explain", "--policy", "p.yaml", "https://evil.example/"),
		"navigation: deny\n  p.yaml:8: origins.allow\n  add https://evil.example to origins.allow in p.yaml")
	says(t, run(exit.OK, "explain", "--policy", "p.yaml", "--tool", "cookies", "https://shop.example/"),
		"navigation: allow\n  p.yaml:9", "call: ask\n  p.yaml:29: decisions: tool cookies origin: https://shop.example ask")
	says(t, run(exit.OK, "explain", "http://0xa9fea9fe/"), "origin http://169.254.169.254", "address 169.254.169.254: deny\n  default: link-local")
	says(t, run(exit.Usage, "explain", "--tool", "cokies", "https://x.example"), `did you mean "cookies"?`)
	says(t, run(exit.Usage, "explain", "--power", "navigatoin", "https://x.example"), `did you mean "navigation"?`)
	write("w.yaml", "version: 1\ndecisions:\n  - {tool: 'github:*', decision: ask}\n  - {workflow: report, decision: deny}\n  - {power: script, tool: 'a:b', decision: deny}\n")
	says(t, run(exit.OK, "check", "w.yaml"), "w.yaml:3:12: warning: github:* is not checked", "w.yaml:4:16: warning: workflow report is not checked",
		"matches none of their calls", "w.yaml is a valid policy")
	says(t, run(exit.OK, "explain", "--policy", "w.yaml", "--tool", "github:issue", "https://x.example"), "call: ask\n  w.yaml:3", "not checked: whether there is a tool github:issue")
	says(t, run(exit.OK, "explain", "--policy", "w.yaml", "--workflow", "report", "https://x.example"), "call: deny\n  w.yaml:4", "not checked: whether there is a workflow report")
	write("bad.yaml", "version: 1\ndecisions:\n  - {tool: ':x', decision: ask}\n")
	says(t, run(exit.Tool, "check", "bad.yaml"), "is no tool of a server")
	says(t, run(exit.Usage, "explain", "not an address"), "is not an address")
}
