package acceptance_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// App is a running application.
type App struct {
	Name string
	URL  string // its origin, without a slash at the end
}

// missing skips a test, and fails it in CI, where everything that tests need is there.
func missing(t testing.TB, format string, a ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, a...)
	}
	t.Skipf(format, a...)
}

// needDebian skips the test where a file of a Debian package is absent. In CI it installs the
// package, which takes apt-get and root.
func needDebian(t testing.TB, pkg, file string) {
	t.Helper()
	if _, err := os.Stat(file); err == nil {
		return
	}
	if os.Getenv("CI") == "" {
		t.Skipf("%s is absent: apt-get install --no-install-recommends %s", file, pkg)
	}
	// apt-get runs once at a time, also beside the tests of other packages.
	install := exec.Command("flock", filepath.Join(os.TempDir(), "callsheet-apt.lock"), "sh", "-c", "apt-get update -qq && exec apt-get install -y -qq --no-install-recommends "+pkg)
	install.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("CI must have %s, and it cannot be installed: %v\n%s", pkg, err, out)
	}
}

// startProcess starts a program that prints "serving URL" once it listens and ends when its
// standard input does. A killed test closes that too.
func startProcess(t testing.TB, name string, cmd *exec.Cmd) App {
	t.Helper()
	var log strings.Builder
	cmd.Stderr = &log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		missing(t, "start %s: %v", name, err)
	}
	drained := make(chan struct{})
	t.Cleanup(func() {
		_ = stdin.Close() // the program ends by it
		<-drained
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s ended with %v\n%s", name, err, log.String())
		}
	})
	lines := bufio.NewScanner(stdout)
	url := ""
	for url == "" && lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "serving "); ok {
			url = strings.TrimSuffix(rest, "/")
		}
	}
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, stdout) // what else it prints is of no use
	}()
	if url == "" {
		t.Fatalf("%s does not serve; its log is in the error of its end", name)
	}
	return App{Name: name, URL: url}
}

// runCommand runs a program of a seed, which must succeed.
func runCommand(t testing.TB, dir string, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", fmt.Sprint(name, args), err, out)
	}
}
