package main

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// stored reads the recordings of a state directory beside the process that writes them.
func (r *recording) stored() (recorder.Recording, []recorder.Step) {
	r.t.Helper()
	dir, err := statedir.New(r.state())
	if err != nil {
		r.t.Fatal(err)
	}
	db := database.New(dir)
	defer func() { _ = db.Close() }()
	archive := recorder.NewArchive(db)
	all, err := archive.List(context.Background(), "", 1)
	if err != nil || len(all) == 0 {
		return recorder.Recording{}, nil
	}
	steps, err := archive.Steps(context.Background(), all[0].ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return all[0], steps
}

// TestKilledRecordingKeepsItsSteps kills the recorder while the person types: what was typed so far is
// stored, and nothing of the password.
func TestKilledRecordingKeepsItsSteps(t *testing.T) {
	t.Parallel()
	site := servePersonPages(t)
	r, h := startRecording(t, secretsFile(t), site+"/login")
	h.use("/login")
	h.fill(css("[name=key]"), vaultValue)
	h.fill(css("[name=password]"), typedPassword)
	h.fill(css("[name=email]"), "ada@exam")
	var steps []recorder.Step
	eventually(t, "what was typed is stored", func() bool {
		_, steps = r.stored()
		return len(steps) == 4 && strings.Contains(string(steps[3].Args), `"ada@exam"`)
	})
	if err := r.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-r.finished
	rec, after := r.stored()
	if rec.StoppedAt != nil || len(after) != 4 {
		t.Errorf("stopped %v, %s", rec.StoppedAt, describeSteps(after))
	}
	says(t, string(after[1].Args), "{secret:API_KEY}")
	says(t, string(after[2].Args), recorder.Mask)
	keepsOut(t, r.dir, r.out.String(), typedPassword, vaultValue)
}

// TestRecordingEnds ends recordings by a signal and by closing the window: both stop the recording and exit
// with 0.
func TestRecordingEnds(t *testing.T) {
	t.Parallel()
	site := servePersonPages(t)
	for name, end := range map[string]func(r *recording, h *hand) error{
		"signal": func(r *recording, _ *hand) error { return r.cmd.Process.Signal(os.Interrupt) },
		"window": func(r *recording, h *hand) error {
			eventually(t, "the click is stored", func() bool { _, steps := r.stored(); return len(steps) == 2 })
			h.closePage("/popup")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, h := startRecording(t, secretsFile(t), site+"/popup")
			h.use("/popup")
			h.click(css("h1"))
			if err := end(r, h); err != nil {
				t.Fatal(err)
			}
			r.end()
			says(t, r.out.String(), "recorded rec-", ": 2 steps", "callsheet replay rec-")
			if rec, _ := r.stored(); rec.StoppedAt == nil {
				t.Error("the recording was not stopped")
			}
		})
	}
}

// TestPageCannotForgeSteps has a page try what a listener in its own world would allow: no step comes of
// events that the page makes, and the page neither sees the recorder's functions nor ends the recording.
func TestPageCannotForgeSteps(t *testing.T) {
	t.Parallel()
	site := servePersonPages(t)
	r, h := startRecording(t, secretsFile(t), site+"/popup")
	h.use("/popup")
	seen := h.js(`(() => {
		const host = document.querySelector('callsheet-recorder');
		for (const type of ['click', 'keydown', 'input', 'change', 'contextmenu']) document.querySelector('h1').dispatchEvent(new MouseEvent(type, {bubbles: true, composed: true}));
		document.querySelector('h1').click();
		host.click();
		host.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
		const names = Object.getOwnPropertyNames(window).filter((name) => name.startsWith('callsheet'));
		return JSON.stringify([names, host.shadowRoot, host.childNodes.length, typeof callsheetPerson]);
	})()`)
	if seen != `[[],null,0,"undefined"]` {
		t.Errorf("the page sees %s", seen)
	}
	h.js(`document.querySelector('callsheet-recorder').remove()`)
	h.click(css("#go"))
	h.click(css("h1"))
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r.end()
	if _, steps := r.stored(); len(steps) != 2 {
		t.Errorf("%s", describeSteps(steps))
	}
}

// TestRecordAttached records in the person's own browser: only the tab that the command opened.
func TestRecordAttached(t *testing.T) {
	t.Parallel()
	private, site := personSite(t), servePersonPages(t)
	p := startPerson(t, private+"/private")
	before := p.state()
	r := runRecord(t, "--attach="+p.dir, site+"/login")
	h := &hand{person: p}
	h.use("/login")
	h.fill(css("[name=email]"), "ada@example.com")
	if after := p.state(); after != before {
		t.Errorf("the person's tab changed:\n%s\n%s", before, after)
	}
	if p.evaluate("/private", `document.querySelector("callsheet-recorder") === null`) != "true" {
		t.Error("the person's tab has a bar")
	}
	h.attachTo("/private")
	h.clickAt(60, 40, "left")
	h.use("/login")
	h.stop()
	r.end()
	if _, steps := r.stored(); len(steps) != 2 || !strings.Contains(string(steps[1].Args), "ada@example.com") {
		t.Errorf("%s", describeSteps(steps))
	}
}
