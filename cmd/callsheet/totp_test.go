package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// TestSecretsOfCodesAreKept adds, lists, uses and removes a secret with the real program, and looks
// for it everywhere it must not be.
func TestSecretsOfCodesAreKept(t *testing.T) {
	t.Parallel()
	const secret, key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "a passphrase for this test"
	dir := filepath.Join(t.TempDir(), "state")
	run := func(code int, key, stdin string, args ...string) string {
		t.Helper()
		cmd := command(t, append(append([]string{"totp"}, args...), "--state-dir", dir)...)
		cmd.Env = append(cmd.Env, "CALLSHEET_KEY="+key, "CALLSHEET_KEY_FILE=")
		cmd.Stdin = strings.NewReader(stdin)
		out, _ := cmd.CombinedOutput() // the exit code says it
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("totp %v: exit %d, want %d: %s", args, got, code, out)
		}
		if strings.Contains(string(out), secret) {
			t.Errorf("totp %v repeats the secret: %s", args, out)
		}
		return string(out)
	}
	says(t, run(exit.Transport, "", secret, "add", "example.com"), "CALLSHEET_KEY")
	says(t, run(exit.Transport, "short", secret, "add", "example.com"), "fewer than 16")
	says(t, run(exit.Usage, key, "", "add", "example.com"), "the secret is missing")
	says(t, run(exit.Usage, key, secret+"!", "add", "example.com"), "no secret of one-time codes")
	says(t, run(exit.Usage, key, secret+"\nmore\n", "add", "example.com"), "more than one line")
	says(t, run(exit.Usage, key, "", "add", "example.com", secret), "a domain and nothing else")
	says(t, run(exit.Usage, key, secret, "add", "../etc"), "no domain")
	says(t, run(exit.Usage, key, "", "add"), "the domain is missing")
	says(t, run(exit.OK, key, secret+"\n", "add", "Example.COM."), "kept the secret of example.com in "+dir)
	says(t, run(exit.OK, key, "gezd gnbv gy3t qojq gezd gnbv gy3t qojq", "add", "example.com"), "replaced")
	run(exit.OK, key, secret, "add", "a.example")
	if got := run(exit.OK, key, "", "list"); got != "a.example\nexample.com\n" {
		t.Errorf("list says %q", got)
	}
	says(t, run(exit.Transport, "another passphrase", "", "list"), "does not open")
	hides(t, dir, secret)
	says(t, run(exit.OK, key, "", "remove", "example.com"), "forgot the secret of example.com")
	says(t, run(exit.Usage, key, "", "remove", "example.com"), "there is no secret of example.com")
	if got := run(exit.OK, key, "", "list"); got != "a.example\n" {
		t.Errorf("list says %q", got)
	}
}

// hides looks for a text in every file of a directory.
func hides(t *testing.T, dir, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToUpper(data), []byte(text)) {
			t.Errorf("%s holds it", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}
