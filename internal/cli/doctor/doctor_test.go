package doctor_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/doctor"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func subject(t *testing.T) doctor.Subject {
	t.Helper()
	dir, err := statedir.New(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	s := database.New(dir)
	t.Cleanup(func() { _ = s.Close() })
	return doctor.Subject{Browser: browser.Config{Headless: true}, State: dir, Store: s}
}

// finds examines and returns the finding of one check.
func finds(t *testing.T, s doctor.Subject, start bool, check string) doctor.Finding {
	t.Helper()
	var out doctor.Finding
	for _, f := range doctor.Examine(t.Context(), s, start, nil) {
		if f.Check == check {
			out = f
		}
	}
	return out
}

// TestAHealthyMachine starts the real browser.
func TestAHealthyMachine(t *testing.T) {
	s, told := subject(t), 0
	report := doctor.Examine(t.Context(), s, true, func(doctor.Finding) { told++ })
	if doctor.Worst(report) == doctor.Failure || told != len(report) {
		t.Errorf("%d told: %+v", told, report)
	}
	var start doctor.Finding
	for _, f := range report {
		if f.Check == "browser" && !strings.Contains(f.Detail, "; --browser names it") && !strings.Contains(f.Detail, "found") && !strings.Contains(f.Detail, "CHROME_PATH") {
			t.Errorf("it does not say why this browser is taken: %+v", f)
		}
		if f.Check == "start" {
			start = f
		}
	}
	if start.Verdict != doctor.OK || !strings.Contains(start.Detail, "shows a page") {
		t.Errorf("start: %+v", start)
	}
	if _, err := os.Stat(s.State.Path()); !os.IsNotExist(err) {
		t.Errorf("looking made the state directory: %v", err)
	}
}

// TestEveryAilmentHasARemedy spoils one thing at a time.
func TestEveryAilmentHasARemedy(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	host, _ := os.Hostname()
	for name, tc := range map[string]struct {
		spoil          func(t *testing.T, s *doctor.Subject)
		check          string
		detail, remedy string
	}{
		"no browser": {func(_ *testing.T, s *doctor.Subject) { s.Browser.Executable = "no-such-browser" }, "browser", "no-such-browser", "install"},
		"a browser that lacks a library": {func(t *testing.T, s *doctor.Subject) {
			s.Browser.Executable = script(t, "echo 'x: error while loading shared libraries: libnss3.so: cannot open' >&2; exit 127")
		}, "browser", "lacks libnss3.so", "install the system library libnss3.so"},
		"a browser that dies": {func(t *testing.T, s *doctor.Subject) {
			s.Browser.Executable = script(t, `case "$1" in --version) echo Chromium 1;; *) echo "[FATAL] No usable sandbox!" >&2; exit 1;; esac`)
		}, "start", "does not start", "user namespaces"},
		"a broken profile": {func(t *testing.T, s *doctor.Subject) {
			s.Browser.UserDataDir = t.TempDir()
			put(t, filepath.Join(s.Browser.UserDataDir, "Local State"), "{broken")
		}, "profile", "broken", "move the file away"},
		"a profile in use": {func(t *testing.T, s *doctor.Subject) {
			s.Browser.UserDataDir = t.TempDir()
			if err := os.Symlink(fmt.Sprintf("%s-%d", host, os.Getpid()), filepath.Join(s.Browser.UserDataDir, "SingletonLock")); err != nil {
				t.Fatal(err)
			}
		}, "profile", "in use by process", "another --user-data-dir"},
		"a profile that is a file": {func(t *testing.T, s *doctor.Subject) {
			s.Browser.UserDataDir = filepath.Join(t.TempDir(), "f")
			put(t, s.Browser.UserDataDir, "")
		}, "profile", "is a file", "--user-data-dir"},
		"a taken port": {func(_ *testing.T, s *doctor.Subject) { s.Address = taken.Addr().String() }, "port", "is taken", "another port"},
		"no Postgres": {func(_ *testing.T, s *doctor.Subject) {
			s.Postgres = "postgres://ann:hidden-word@" + taken.Addr().String() + "/jobs?connect_timeout=1"
		}, "postgres", "ann", "--database-url"},
		"no display": {func(t *testing.T, s *doctor.Subject) {
			t.Setenv("DISPLAY", "")
			t.Setenv("WAYLAND_DISPLAY", "")
			s.Browser.Headless = false
		}, "display", "no display", "--headless"},
		"a damaged database": {func(t *testing.T, s *doctor.Subject) {
			if _, err := s.State.Make(); err != nil {
				t.Fatal(err)
			}
			put(t, s.Store.Path(), strings.Repeat("not a database ", 100))
		}, "database", "damaged", "nothing in the file was changed"},
		"a state directory for everybody": {func(t *testing.T, s *doctor.Subject) {
			if err := os.MkdirAll(s.State.Path(), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(s.State.Path(), 0o755); err != nil {
				t.Fatal(err)
			}
		}, "state", "others may read", "chmod 700"},
	} {
		t.Run(name, func(t *testing.T) {
			s := subject(t)
			tc.spoil(t, &s)
			f := finds(t, s, tc.check == "start", tc.check)
			if f.Verdict == doctor.OK || strings.Contains(f.Detail, "hidden-word") || !strings.Contains(f.Detail, tc.detail) || !strings.Contains(f.Remedy, tc.remedy) {
				t.Errorf("found %+v; want %q and the remedy %q", f, tc.detail, tc.remedy)
			}
		})
	}
}

func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestABrowserAndItsStarterAreOne has Debian's way to start a browser, a distribution's script beside one, and two browsers.
func TestABrowserAndItsStarterAreOne(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	t.Setenv("CHROME_PATH", "")
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	cached := filepath.Join(home, ".cache/ms-playwright/chromium-1/chrome-linux/chrome")
	if err := os.MkdirAll(filepath.Dir(cached), 0o700); err != nil {
		t.Fatal(err)
	}
	s := subject(t)
	for _, test := range []struct{ script, want, without string }{
		{"LIBDIR=/usr/lib/$APPNAME; echo", "", "/usr/lib/chromium/chromium"},
		{"d=" + filepath.Dir(filepath.Dir(cached)) + "/chrome-linux; echo", "", cached},
		{"echo", cached, bin},
	} {
		put(t, cached, "x")
		put(t, filepath.Join(bin, "chromium"), "#!/bin/sh\n"+test.script+" Chromium 1\n")
		for _, path := range []string{cached, filepath.Join(bin, "chromium")} {
			if err := os.Chmod(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		_, others, _ := strings.Cut(finds(t, s, false, "browser").Detail, "; ")
		if !strings.Contains(others, test.want) || strings.Contains(others, test.without) {
			t.Errorf("%s: %q, want %q and not %q", test.script, others, test.want, test.without)
		}
	}
}
