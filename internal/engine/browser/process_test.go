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
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/powertest"
)

// launchAndHang is the child of TestNothingLeftAfterKill: it says when its browser
// runs and waits to be killed.
func launchAndHang(dir string) {
	if err := os.Setenv("TMPDIR", dir); err != nil {
		panic(err)
	}
	b := New(Config{Headless: true})
	tab, _, err := b.Session("s").Open(context.Background(), powertest.Window, powertest.Navigation, "data:text/html,<title>child</title>", NavigateOptions{})
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
	dir, err := os.MkdirTemp("", "k-") //nolint:usetesting // short: the path of the browser's socket is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
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
	if chromium.SweepDataDirs(dir, time.Now().Add(time.Hour)) != 0 {
		t.Error("the profile of a living owner was swept")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	eventually(t, "the browser of a killed owner ends", func() bool { return len(processesOf(t, profile)) == 0 })
	if n := chromium.SweepDataDirs(dir, time.Now()); n != 1 {
		t.Errorf("swept %d profiles, want 1", n)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
}

func TestNothingLeftAfterClose(t *testing.T) {
	t.Parallel()
	needsProc(t)
	ctx := deadline(t, 2*time.Minute)
	b := New(Config{Headless: true})
	if _, err := b.Session("s").OpenBlank(ctx, powertest.Window); err != nil {
		t.Fatal(err)
	}
	profile := b.Status().UserDataDir
	if err := b.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if pids := processesOf(t, profile); len(pids) != 0 {
		t.Errorf("processes left: %v", pids)
	}
	if _, err := os.Stat(profile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the profile is still there: %v", err)
	}
	if _, err := b.Session("s").OpenBlank(ctx, powertest.Window); !errors.As(err, new(*BrowserGoneError)) {
		t.Errorf("open after close: %v", err)
	}
}

// TestNoGoroutineLeft runs alone: it is not parallel, and the shared browser is not
// launched before the parallel tests.
func TestNoGoroutineLeft(t *testing.T) {
	ctx := deadline(t, 2*time.Minute)
	before := runtime.NumGoroutine()
	b := New(Config{Headless: true})
	for _, s := range []*Session{b.Session("a"), b.IsolatedSession("b")} {
		tab, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		js(t, tab, `window.open('/b'); 0`)
		eventually(t, "the popup is attached", func() bool { return len(s.Tabs(ctx)) == 2 })
		_, _ = evaluate.Run(ctx, tab, powertest.Script, `alert(1)`)
	}
	b.EndSession(ctx, "b")
	if err := b.Close(ctx); err != nil {
		t.Fatal(err)
	}
	site.CloseClientConnections()
	eventually(t, fmt.Sprintf("back to %d goroutines", before), func() bool {
		site.CloseClientConnections()
		return runtime.NumGoroutine() <= before+1 // the timer of the test's own deadline
	})
}

func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentLaunch(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	b := New(Config{Headless: true})
	defer b.Close(context.Background())
	impatient, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if _, err := b.Session("z").OpenBlank(impatient, powertest.Window); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an impatient caller: %v", err)
	}
	ids := make(chan string)
	for i := range 4 {
		go func() {
			tab, err := b.IsolatedSession(strconv.Itoa(i)).OpenBlank(ctx, powertest.Window)
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

func TestArgs(t *testing.T) {
	t.Parallel()
	needsProc(t)
	ctx := deadline(t, 2*time.Minute)
	b := New(Config{Headless: true, Viewport: Size{800, 600}, AllowFile: true,
		Args: []string{"--user-agent=tester", "disable-features=Ours", "--lang=de", ""}})
	defer b.Close(context.Background())
	file := filepath.Join(t.TempDir(), "x.html")
	if err := os.WriteFile(file, []byte("<title>file</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	tab, _, err := b.Session("s").Open(ctx, powertest.Window, powertest.Navigation, "file://"+file, NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := js(t, tab, `[navigator.userAgent, innerWidth, innerHeight, document.title].join()`).Text(); got != "tester,800,600,file" {
		t.Errorf("the page says %s", got)
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", b.Status().PID))
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Split(string(line), "\x00")
	for _, want := range []string{"--lang=de", "--headless=new", "--no-first-run", "--disable-renderer-backgrounding"} {
		if !slices.Contains(args, want) {
			t.Errorf("%s is missing in %q", want, args)
		}
	}
	joined := func(a string) bool {
		return strings.HasPrefix(a, "--disable-features=Translate,") && strings.HasSuffix(a, ",Ours")
	}
	if !slices.ContainsFunc(args, joined) {
		t.Errorf("the disabled features are not joined in %q", args)
	}
	if slices.Contains(args, "--no-sandbox") != (os.Getuid() == 0) {
		t.Errorf("uid %d, arguments %q", os.Getuid(), args)
	}
}

func TestNoBrowser(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no-such-chromium")
	check := func(cfg Config, want string) {
		t.Helper()
		_, err := New(cfg).Session("s").OpenBlank(deadline(t, time.Minute), powertest.Window)
		var none *chromium.NoBrowserError
		if !errors.As(err, &none) || !slices.Contains(none.Candidates, want) {
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
}

func TestLaunchFails(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho cannot open display >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := New(Config{Executable: script}).Session("s").OpenBlank(deadline(t, time.Minute), powertest.Window)
	if !errors.As(err, new(*LaunchError)) || !strings.Contains(err.Error(), "cannot open display") {
		t.Errorf("got %v", err)
	}
}

// startChromium starts a browser that is not ours and returns its endpoint.
func startChromium(ctx context.Context, t *testing.T, dir string) string {
	t.Helper()
	exe, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + dir, "--no-first-run", "--disable-gpu", "about:blank"}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	chromium.SetProcessGroup(cmd)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		chromium.KillGroup(cmd.Process.Pid)
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if ws, ok := strings.CutPrefix(lines.Text(), "DevTools listening on "); ok {
			return "http://" + strings.Split(strings.TrimPrefix(ws, "ws://"), "/")[0]
		}
	}
	t.Fatal("chromium did not say where it listens")
	return ""
}

func TestAttach(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	dir := t.TempDir()
	endpoint := startChromium(ctx, t, dir)
	b := New(Config{CDPEndpoint: endpoint})
	s := b.IsolatedSession("s")
	tab, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
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
	if _, _, err := again.Session("s").Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/b", NavigateOptions{}); err != nil {
		t.Fatalf("the browser did not survive being let go: %v", err)
	}
	if _, err := New(Config{CDPEndpoint: "http://127.0.0.1:1"}).Session("s").OpenBlank(ctx, powertest.Window); !errors.As(err, new(*LaunchError)) {
		t.Errorf("nobody there: %v", err)
	}
}

// TestEnvironmentHasNoSecret starts a browser with a secret in this process's environment, which
// the browser must not get.
func TestEnvironmentHasNoSecret(t *testing.T) {
	needsProc(t)
	ctx := deadline(t, 2*time.Minute)
	t.Setenv("CALLSHEET_KEY", "a passphrase")
	t.Setenv("OTHER_KEY", "of somebody else")
	b := New(Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	if _, err := b.Session("x").OpenBlank(ctx, powertest.Window); err != nil {
		t.Fatal(err)
	}
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", b.Status().PID))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(environment); strings.Contains(text, "CALLSHEET_KEY") || !strings.Contains(text, "OTHER_KEY=of somebody else") {
		t.Errorf("the browser's environment is %q", text)
	}
}
