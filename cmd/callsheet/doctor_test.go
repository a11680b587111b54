package main

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/engine/chromium"
)

// doctored runs callsheet doctor in an environment with a state directory of its own, and returns
// what it says and how it ends.
func doctored(t *testing.T, env []string, args ...string) (said string, code int) {
	t.Helper()
	cmd := command(t, append([]string{"doctor", "--state-dir", filepath.Join(t.TempDir(), "state")}, args...)...)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func says(t *testing.T, said string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(said, w) {
			t.Errorf("it lacks %q:\n%s", w, said)
		}
	}
}

// TestDoctorNamesCauseAndRemedy spoils the machine in each of the ways that keep people from
// starting.
func TestDoctorNamesCauseAndRemedy(t *testing.T) {
	t.Parallel()
	t.Run("no browser", func(t *testing.T) {
		t.Parallel()
		env := []string{"PATH=", "CHROME_PATH="}
		if has(t, "/usr/lib/chromium/chromium", "/snap/bin/chromium", "/opt/google/chrome/chrome", "/usr/local/bin/chrome") {
			env[1] = "CHROME_PATH=" + filepath.Join(t.TempDir(), "chromium") // it would be found without a PATH
		}
		said, code := doctored(t, env)
		says(t, said, "failure  browser", "no Chromium", "install")
		if code != exit.Tool || strings.Contains(said, "\nfailure  start") {
			t.Errorf("exit %d:\n%s", code, said)
		}
	})
	t.Run("a broken profile", func(t *testing.T) {
		t.Parallel()
		profile := t.TempDir()
		if err := os.WriteFile(filepath.Join(profile, "Local State"), []byte(`{"profile":`), 0o600); err != nil {
			t.Fatal(err)
		}
		said, code := doctored(t, nil, "--user-data-dir", profile)
		says(t, said, "failure  profile", "the profile is broken", filepath.Join(profile, "Local State"), "move the file away")
		if code != exit.Tool {
			t.Errorf("exit %d:\n%s", code, said)
		}
	})
	t.Run("a taken port", func(t *testing.T) {
		t.Parallel()
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = taken.Close() }()
		said, code := doctored(t, []string{"CHROME_PATH=/nowhere/chromium"}, "--http", taken.Addr().String())
		says(t, said, "failure  port", taken.Addr().String()+" is taken", "another port")
		if code != exit.Tool {
			t.Errorf("exit %d:\n%s", code, said)
		}
	})
}

// TestDoctorFindsAHealthyMachine starts the real browser from the real program, and writes JSON.
func TestDoctorFindsAHealthyMachine(t *testing.T) {
	t.Parallel()
	if _, err := chromium.FindExecutable(""); err != nil {
		t.Skip(err)
	}
	said, code := doctored(t, nil, "--json", "--http", "127.0.0.1:0")
	var report struct {
		Verdict  string
		Findings []struct{ Check, Verdict, Detail string }
	}
	if err := json.Unmarshal([]byte(said), &report); err != nil || code != exit.OK || report.Verdict == "failure" {
		t.Fatalf("exit %d, %v:\n%s", code, err, said)
	}
	got := map[string]string{}
	for _, f := range report.Findings {
		got[f.Check] = f.Verdict
	}
	for _, name := range []string{"browser", "start", "port", "state"} {
		if got[name] != "ok" {
			t.Errorf("%s is %q in %s", name, got[name], said)
		}
	}
}

func TestDoctorRefusesWhatServeRefuses(t *testing.T) {
	t.Parallel()
	said, code := doctored(t, nil, "--cdp-endpoint", "http://127.0.0.1:1", "--user-data-dir", "x")
	says(t, said, "--cdp-endpoint attaches")
	if code != exit.Usage {
		t.Errorf("exit %d:\n%s", code, said)
	}
}

func has(t *testing.T, paths ...string) bool {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}
