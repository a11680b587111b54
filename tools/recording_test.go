package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/artifact"
	"github.com/callsheet/callsheet/internal/connection"
	"github.com/callsheet/callsheet/internal/recording"
	"github.com/callsheet/callsheet/internal/recording/export"
	"github.com/callsheet/callsheet/internal/recording/witness"
	"github.com/callsheet/callsheet/internal/store"
	recordings "github.com/callsheet/callsheet/tools/recording"
)

// recorder is what servers of tests record with.
func recorder(db *store.Store, sets func(string) *connection.Set, pictures *artifact.Store, redact func(string) string) *recording.Recorder {
	return recording.New(recording.Config{
		Archive: recording.NewArchive(db), Eye: witness.New(sets), Redact: redact, Pictures: recordings.Keep(pictures), Verdicts: toolset.ToolOcAssert,
	})
}

// recordingID takes the id out of what a tool of recordings says.
func recordingID(t *testing.T, text string) string {
	t.Helper()
	at := strings.Index(text, "rec-")
	if at < 0 {
		t.Fatalf("no id in %q", text)
	}
	return strings.TrimRight(strings.Fields(text[at:])[0], ",")
}

// exported reads a recording back.
func (c client) exported(id string) export.Source {
	c.t.Helper()
	res := c.raw("oc_recording_export", args{"recordingId": id})
	links := linksOf(res)
	if res.IsError || len(links) != 1 {
		c.t.Fatalf("export %s: %s", id, textOf(res))
	}
	source, err := export.Read([]byte(c.content(links[0].URI)))
	if err != nil {
		c.t.Fatal(err)
	}
	return source
}

// TestARecordingTellsWhatWasDone records a flow and looks at every part of its steps.
func TestARecordingTellsWhatWasDone(t *testing.T) {
	t.Parallel()
	c, home := connect(t, toolkit.Options{AllTools: true}), site(t)
	id := recordingID(t, c.call("oc_recording_start", args{"label": "a flow"}))
	c.call("navigate", args{"url": home + "/form.html"})
	c.call("read_page", nil)
	c.call("javascript_tool", args{"code": "console.log('said', 42); fetch('/missing?token=abc').then(r => r.status)"})
	c.call("tabs_create", args{"url": home + "/index.html"})
	c.refused("NO_TAB", "tabs_close", args{"tabId": "t999999"})
	c.says("oc_recording_stop", nil, id, "5 steps")
	got := c.exported(id)
	b, _ := json.MarshalIndent(got, "", " ")
	t.Log(string(b))
}
