package browser

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/page"
)

// launchAndHang is the child of TestNothingLeftAfterKill: it says when its browser
// runs and waits to be killed.
func launchAndHang(dir string) {
	if err := os.Setenv("TMPDIR", dir); err != nil {
		panic(err)
	}
	b := New(Config{Headless: true})
	tab, err := b.Session("s").Open(context.Background(), "data:text/html,<title>child</title>")
	if err != nil {
		panic(err)
	}
	fmt.Println(tab.ID(), b.Status().PID, b.Status().UserDataDir)
	select {}
}

// processesOf lists the processes whose command line names a profile directory.
func processesOf(t *testing.T, dir string) []int {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, entry := range entries {
		line, err := os.ReadFile(entry)
		if err == nil && bytes.Contains(line, []byte("--user-data-dir="+dir)) {
			pid, _ := strconv.Atoi(strings.Split(entry, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

func needsProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("needs /proc")
	}
}

func TestNothingLeftAfterKill(t *testing.T) {
	t.Parallel()
	needsProc(t)
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) != 3 || fields[0] != "t1" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	profile := fields[2]
	if len(processesOf(t, profile)) == 0 {
		t.Fatal("the child has no browser")
	}
	if sweepProfiles(dir, time.Now().Add(time.Hour)) != 0 {
		t.Error("the profile of a living owner was swept")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	start := time.Now()
	eventually(t, "the browser of a killed owner ends", func() bool { return len(processesOf(t, profile)) == 0 })
	t.Logf("browser gone %v after the kill", time.Since(start).Round(time.Millisecond))
	if n := sweepProfiles(dir, time.Now()); n != 1 {
		t.Errorf("swept %d profiles, want 1", n)
	}
	if _, err := os.Stat(profile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the profile is still there: %v", err)
	}
}

func TestNothingLeftAfterClose(t *testing.T) {
	t.Parallel()
	needsProc(t)
	ctx := deadline(t, 20*time.Second)
	b := New(Config{Headless: true})
	start := time.Now()
	if _, err := b.Session("s").Open(ctx, ""); err != nil {
		t.Fatal(err)
	}
	cold := time.Since(start)
	profile := b.Status().UserDataDir
	start = time.Now()
	if err := b.Close(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("cold launch with a tab %v, close %v", cold.Round(time.Millisecond), time.Since(start).Round(time.Millisecond))
	if pids := processesOf(t, profile); len(pids) != 0 {
		t.Errorf("processes left: %v", pids)
	}
	if _, err := os.Stat(profile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the profile is still there: %v", err)
	}
	if _, err := b.Session("s").Open(ctx, ""); !errors.As(err, new(*BrowserGoneError)) {
		t.Errorf("open after close: %v", err)
	}
}

func TestBrowserDeath(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 30*time.Second)
	b := New(Config{Headless: true})
	defer b.Close(context.Background())
	s := b.Session("s")
	old, err := s.Open(ctx, site.URL+"/a")
	if err != nil {
		t.Fatal(err)
	}
	profile, pid := b.Status().UserDataDir, b.Status().PID
	failed := make(chan error, 1)
	go func() {
		_, err := old.Evaluate(ctx, `new Promise(() => {})`)
		failed <- err
	}()
	inFlight := make(chan struct{})
	go func() {
		_ = old.Do(ctx, func(context.Context, *page.Page) error { return nil })
		close(inFlight)
	}()
	select { // queued behind the script that never ends
	case <-inFlight:
		t.Log("the second call came first")
	case <-time.After(200 * time.Millisecond):
	}
	start := time.Now()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	err = <-failed
	if !errors.As(err, new(*BrowserGoneError)) || time.Since(start) > time.Second {
		t.Errorf("the call in flight: %v after %v", err, time.Since(start))
	}
	<-inFlight
	var unknown *UnknownTabError
	eventually(t, "the tab is closed", func() bool { _, err = s.Tab(ctx, old.ID()); return errors.As(err, &unknown) })
	if unknown.Closed != "the browser exited" {
		t.Errorf("an old tab: %v", err)
	}
	if err := old.Do(ctx, func(context.Context, *page.Page) error { return nil }); !errors.As(err, new(*BrowserGoneError)) {
		t.Errorf("a call on an old tab: %v", err)
	}
	if b.Status().Running {
		t.Error("a dead browser is running")
	}
	tab, err := s.Open(ctx, site.URL+"/b")
	if err != nil || tab.ID() != "t2" || b.Status().PID == pid {
		t.Fatalf("open after the death: %v, %v", tab, err)
	}
	if _, err := os.Stat(profile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old profile is still there: %v", err)
	}
}

func TestConcurrentLaunch(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 20*time.Second)
	b := New(Config{Headless: true})
	defer b.Close(context.Background())
	impatient, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if _, err := b.Session("z").Open(impatient, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an impatient caller: %v", err)
	}
	ids := make(chan string)
	for i := range 4 {
		go func() {
			tab, err := b.IsolatedSession(strconv.Itoa(i)).Open(ctx, "")
			if err != nil {
				ids <- err.Error()
				return
			}
			ids <- tab.ID()
		}()
	}
	var got []string
	for range 4 {
		got = append(got, <-ids)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"t1", "t2", "t3", "t4"}, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestNoBrowser(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no-such-chromium")
	check := func(cfg Config, want string) {
		t.Helper()
		_, err := New(cfg).Session("s").Open(deadline(t, 5*time.Second), "")
		var none *NoBrowserError
		if !errors.As(err, &none) || !slices.Contains(none.Looked, want) {
			t.Errorf("got %v, want a NoBrowserError that looked for %s", err, want)
		} else if !strings.Contains(err.Error(), "CHROME_PATH") || !strings.Contains(err.Error(), "--browser") {
			t.Errorf("no help in %q", err)
		}
	}
	check(Config{Executable: missing}, missing)
	t.Setenv("CHROME_PATH", missing)
	check(Config{}, missing)
	t.Setenv("CHROME_PATH", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := os.Stat("/usr/lib/chromium/chromium"); err != nil {
		check(Config{}, "google-chrome-stable")
	}
	for _, goos := range []string{"darwin", "windows", "linux"} {
		if !slices.Contains(knownExecutables(goos), "chromium") {
			t.Errorf("%s: no chromium", goos)
		}
	}
}

func TestLaunchFails(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho cannot open display >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := New(Config{Executable: script}).Session("s").Open(deadline(t, 10*time.Second), "")
	if !errors.As(err, new(*LaunchError)) || !strings.Contains(err.Error(), "cannot open display") {
		t.Errorf("got %v", err)
	}
}

func TestAttach(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 30*time.Second)
	dir := t.TempDir()
	host := New(Config{Headless: true, UserDataDir: dir, Args: []string{"--no-startup-window=false"}})
	exe, err := findExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	_ = host
	args := []string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + dir, "--no-first-run", "--disable-gpu", "about:blank"}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	prepare(cmd)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		killGroup(cmd.Process.Pid)
		_ = cmd.Wait()
	}()
	endpoint := ""
	for lines := bufio.NewScanner(stderr); endpoint == "" && lines.Scan(); {
		if ws, ok := strings.CutPrefix(lines.Text(), "DevTools listening on "); ok {
			endpoint = "http://" + strings.Split(strings.TrimPrefix(ws, "ws://"), "/")[0]
		}
	}
	b := New(Config{CDPEndpoint: endpoint})
	s := b.IsolatedSession("s")
	tab, err := s.Open(ctx, site.URL+"/a")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tabs(ctx)) != 1 || tab.URL() != site.URL+"/a" || s.Isolated() {
		t.Errorf("tabs of an attached browser: %+v", s.Tabs(ctx))
	}
	if st := b.Status(); st.Profile != AttachedProfile || !st.Running || st.PID != 0 || st.Version == "" {
		t.Errorf("status: %+v", st)
	}
	if err := b.Close(ctx); err != nil {
		t.Fatal(err)
	}
	again := New(Config{CDPEndpoint: endpoint})
	defer again.Close(context.Background())
	if _, err := again.Session("s").Open(ctx, site.URL+"/b"); err != nil {
		t.Fatalf("the browser did not survive being let go: %v", err)
	}
	if _, err := New(Config{CDPEndpoint: "http://127.0.0.1:1"}).Session("s").Open(ctx, ""); !errors.As(err, new(*LaunchError)) {
		t.Errorf("nobody there: %v", err)
	}
}

func TestPersistentProfile(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 40*time.Second)
	dir := t.TempDir()
	for i := range 2 {
		b := New(Config{Headless: true, UserDataDir: dir})
		tab, err := b.Session("s").Open(ctx, site.URL+"/a")
		if err != nil {
			t.Fatal(err)
		}
		if got, ok, err := tab.Storage(LocalStorage).Get(ctx, "kept"); err != nil || ok != (i == 1) {
			t.Errorf("run %d: %q, %v, %v", i, got, ok, err)
		}
		expires := time.Now().Add(time.Hour)
		if err := errors.Join(tab.Storage(LocalStorage).Set(ctx, "kept", "yes"), tab.SetCookie(ctx, Cookie{Name: "k", Value: "v", Expires: expires})); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	b := New(Config{})
	profiles, err := b.Profiles(dir)
	if err != nil || len(profiles) == 0 || profiles[0].Directory != "Default" {
		t.Errorf("profiles of a real directory: %+v, %v", profiles, err)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	now := time.Now()
	make := func(name, owner string, age time.Duration) {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Join(dir, "Default"), 0o700); err != nil {
			t.Fatal(err)
		}
		if owner != "-" {
			if err := os.WriteFile(filepath.Join(dir, ownerFile), []byte(owner), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	make(profilePrefix+"dead", "1\n", 0)
	make(profilePrefix+"old", "-", time.Hour)
	make(profilePrefix+"nascent", "-", time.Second)
	make(profilePrefix+"half", "", time.Second)
	make("somebody-elses", "1\n", time.Hour)
	if n := sweepProfiles(root, now); n != 2 {
		t.Errorf("swept %d, want 2", n)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{profilePrefix + "half", profilePrefix + "nascent", "somebody-elses"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := `{"profile":{"last_used":"Profile 1","info_cache":{
		"Profile 1":{"name":"Work","user_name":"ada@example.com"},"Default":{"name":"Person 1","user_name":""}}}}`
	if err := os.WriteFile(filepath.Join(dir, "Local State"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := New(Config{}).Profiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Profile{
		{Directory: "Default", Name: "Person 1"},
		{Directory: "Profile 1", Name: "Work", UserName: "ada@example.com", Active: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	if _, err := New(Config{}).Profiles(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no profiles: %v", err)
	}
}
