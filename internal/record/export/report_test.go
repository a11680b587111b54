package export_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// TestReportOfUnusualSteps: headlines are text in any language, and what ran side by side is on the
// line of time.
func TestReportOfUnusualSteps(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	page, err := export.Report(export.Source{Recording: recorder.Recording{ID: "rec-1", StartedAt: begun}, Steps: []recorder.Step{
		{Seq: 1, Tool: "act", Args: json.RawMessage(`{"action":"öffne die Seite"}`), StartedAt: begun.Add(5 * time.Second), Duration: time.Second, Outcome: "ok"},
		{Seq: 2, Tool: "act", Args: json.RawMessage(`{"action":"über alles"}`), StartedAt: begun, Duration: 8 * time.Second, Outcome: "ok"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"öffne die Seite", "über alles", "8 s"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if !utf8.Valid(page) || strings.Contains(string(page), "\ufffd") || strings.Contains(string(page), `x="-`) {
		t.Error("the report has broken text, or a bar that begins before the line of time does")
	}
}
