package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
	player "github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// personVariable sets how often each recorded flow is replayed in a row, and has its exports run; see make
// verify-person.
const personVariable = "CALLSHEET_PERSON"

// personTimes returns how often each flow is replayed.
func personTimes() int {
	if n, err := strconv.Atoi(os.Getenv(personVariable)); err == nil {
		return n
	}
	return 2
}

// recording is a run of callsheet record.
type recording struct {
	t        *testing.T
	dir      string // of everything: state, profile, exports
	cmd      *exec.Cmd
	out      bytes.Buffer
	finished chan error
}

// debuggable writes a program that starts the browser with a port for a second client.
func debuggable(t *testing.T) string {
	t.Helper()
	exe, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec '"+exe+"' \"$@\" --remote-debugging-port=0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func (r *recording) state() string { return filepath.Join(r.dir, "state") }

// secretsFile writes the vault of the flows.
func secretsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secrets.env")
	if err := os.WriteFile(path, []byte("API_KEY="+vaultValue+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRecordWithoutDisplay says in a line that there is no place for a window.
func TestRecordWithoutDisplay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no DISPLAY")
	}
	s := newShell(t)
	s.env = append(s.env, "DISPLAY=", "WAYLAND_DISPLAY=", "CALLSHEET_HEADLESS=")
	s.fails(exit.Usage, "record localhost:1", "callsheet: there is no display for the window")
}

// startRecording starts callsheet record in a headless browser with a hand at it.
func startRecording(t *testing.T, secrets string, args ...string) (*recording, *hand) {
	t.Helper()
	profile := t.TempDir()
	t.Cleanup(func() { awaitUnused(t, profile) }) // after the browser's end is requested, before its directory is removed
	r := runRecord(t, append([]string{"--headless", "--browser", debuggable(t), "--user-data-dir", profile, "--secrets", secrets}, args...)...)
	return r, connectPerson(t, profile)
}

func runRecord(t *testing.T, args ...string) *recording {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{t: t, dir: t.TempDir(), finished: make(chan error, 1)}
	r.cmd = exec.Command(exe, append([]string{"record", "--state-dir", r.state()}, args...)...)
	r.cmd.Env = append(os.Environ(), asServer+"=1", "GORACE=atexit_sleep_ms=0")
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { r.finished <- r.cmd.Wait() }()
	t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	return r
}

var recordingID = regexp.MustCompile(`rec-[0-9]{8}-[0-9]{6}-[a-z0-9]{13}`)

// end waits for the end of the command and returns the id of the recording.
func (r *recording) end() string {
	r.t.Helper()
	if err := <-r.finished; err != nil {
		r.t.Fatalf("record: %v\n%s", err, r.out.String())
	}
	return recordingID.FindString(r.out.String())
}

// keepsOut fails the test where a secret is in a file of a directory, or in what a command printed.
func keepsOut(t *testing.T, dir, printed string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		for _, form := range []string{s, url.QueryEscape(s), base64.StdEncoding.EncodeToString([]byte(s))} {
			if files := tooltest.FilesContaining(t, dir, form); len(files) > 0 {
				t.Errorf("%q is in %v", form, files)
			}
			if strings.Contains(printed, form) {
				t.Errorf("the command printed %q", form)
			}
		}
	}
}

// replayServer is a server with a browser of its own, which plays recordings.
type replayServer struct {
	*app.App

	stateDir string
}

func replayApp(t *testing.T, secrets string) *replayServer {
	t.Helper()
	vault, err := secret.Load(secrets)
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	a, err := app.New(app.Config{StateDir: state, Browser: browser.Config{Headless: true}, Vault: vault, OutputDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	return &replayServer{a, state}
}

// TestPersonFlows records what a second client of the browser does by mouse and keyboard on six pages. Each
// recording replays in a row, its exports run, and no file has a secret.
func TestPersonFlows(t *testing.T) {
	site, secrets := servePersonPages(t), secretsFile(t)
	exports, replays := newExports(t), replayApp(t, secrets)
	flows := personFlows()
	if !proctest.IsNightly() {
		flows = flows[:2] // a login and one more
	}
	for _, f := range flows {
		t.Run(f.page, func(t *testing.T) { f.check(t, replays, startFlow(t, f, site, secrets), exports) })
	}
	exports.run(t, secrets)
}

// startFlow begins a recording at the page of a flow.
func startFlow(t *testing.T, f personFlow, site, secrets string) func() *recording {
	return func() *recording {
		r, h := startRecording(t, secrets, "--name", f.page, site+"/"+f.page)
		h.use("/" + f.page)
		f.do(h)
		h.stop()
		r.end()
		return r
	}
}

func (f personFlow) check(t *testing.T, replays *replayServer, record func() *recording, exports *exportedTests) {
	r := record()
	_, steps := r.stored()
	var tools []string
	for _, s := range steps {
		tools = append(tools, s.Tool)
	}
	said := describeSteps(steps)
	if got := strings.Join(tools, " "); got != f.tools || !strings.Contains(said, f.proof) {
		t.Errorf("the steps are %s, want %s with %q:\n%s", got, f.tools, f.proof, said)
	}
	f.replay(t, replays, steps)
	exports.add(t, f, r, steps)
	for _, dir := range []string{r.dir, replays.stateDir} {
		keepsOut(t, dir, r.out.String(), typedPassword, typedCode, vaultValue)
	}
}

// replay plays the steps in a row.
func (f personFlow) replay(t *testing.T, a *replayServer, steps []recorder.Step) {
	t.Helper()
	script, err := player.Generalise(steps, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	params, err := player.ParseParameters(f.params)
	if err != nil {
		t.Fatal(err)
	}
	for i := range personTimes() {
		session := fmt.Sprintf("%s-%d", f.page, i)
		p := player.ForSession(a.Surface.NewStaticSession(session), a.Session(session))
		report, err := p.Play(t.Context(), script, player.Options{Params: params, Window: power.NewWindow(operator.Grant("test"))})
		a.EndSession(session)
		if err != nil || report.Status != player.StatusCompleted {
			t.Fatalf("replay %d: %v, %s\n%s", i+1, err, report.Text(), describeSteps(steps))
		}
	}
	t.Logf("%d steps, replayed %d times", len(steps), personTimes())
}

func describeSteps(steps []recorder.Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%d %s %s %s %v %s opened %v verdict %.400s\n", s.Seq, s.Tab, s.Tool, s.Args, s.Targets, s.URL, s.OpenedTabs, s.Verdict)
	}
	return b.String()
}

// exportedTests collects the exports of recordings.
type exportedTests struct {
	goDir, tsDir, flowDir string
	workflows             []exportedWorkflow
}

// workflowKey finds the name of a written workflow.
var workflowKey = regexp.MustCompile(`(?m)^\w+`)

// exportedWorkflow is the file of a workflow with what a run of it needs.
type exportedWorkflow struct {
	name, path string
	params     []string
}

func newExports(t *testing.T) *exportedTests {
	return &exportedTests{goDir: t.TempDir(), tsDir: t.TempDir(), flowDir: t.TempDir()}
}

// add writes the exports of a recording in every format.
func (e *exportedTests) add(t *testing.T, f personFlow, r *recording, steps []recorder.Step) {
	t.Helper()
	for _, format := range export.Formats() {
		data, err := format.Write(export.Source{Recording: recorder.Recording{ID: "rec-1", Label: f.page}, Steps: steps})
		if err != nil {
			t.Errorf("%s: %v", format.Name, err)
			continue
		}
		paths := []string{filepath.Join(r.dir, "export-"+f.page+format.Extension)}
		switch format.Name {
		case "go":
			paths = append(paths, filepath.Join(e.goDir, f.page, "recorded_test.go"))
		case "playwright":
			paths = append(paths, filepath.Join(e.tsDir, f.page+".spec.ts"))
		case "workflow":
			paths = append(paths, filepath.Join(e.flowDir, f.page+".yaml"))
			e.workflows = append(e.workflows, exportedWorkflow{string(workflowKey.Find(data)), paths[1], f.params})
		}
		for _, path := range paths {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// run runs the exported tests; see personVariable.
func (e *exportedTests) run(t *testing.T, secrets string) {
	for _, w := range e.workflows {
		t.Run("workflow "+w.name, func(t *testing.T) { w.run(t, secrets) })
	}
	if os.Getenv(personVariable) == "" {
		return
	}
	env := []string{"PASSWORD=" + typedPassword, "CODE=" + typedCode, "API_KEY=" + vaultValue}
	t.Run("go", func(t *testing.T) { tooltest.RunGoTests(t, e.goDir, env...) })
	t.Run("playwright", func(t *testing.T) { tooltest.RunPlaywright(t, e.tsDir, env...) })
}

// run checks the workflow, and runs it where exports are run.
func (w exportedWorkflow) run(t *testing.T, secrets string) {
	t.Helper()
	runs := [][]string{{"workflow", "validate", "--workflows", w.path}}
	if os.Getenv(personVariable) != "" {
		runs = append(runs, append([]string{"workflow", "run", w.name, "--workflows", w.path, "--secrets", secrets, "--state-dir", t.TempDir()}, w.params...))
	}
	for _, args := range runs {
		if out, err := command(t, args...).CombinedOutput(); err != nil {
			text, _ := os.ReadFile(w.path)
			t.Errorf("%v: %v\n%s\n%s", args, err, out, text)
		}
	}
}
