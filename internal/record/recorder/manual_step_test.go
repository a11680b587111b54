package recorder_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// TestManualSteps appends and amends steps that no call made: they are numbered without gaps, and redacted
// like calls.
func TestManualSteps(t *testing.T) {
	dir := t.TempDir()
	vault := func(to string) func(string) string { return strings.NewReplacer("from the vault", to).Replace }
	r := recorder.New(recorder.Config{Archive: recorder.NewArchive(opened(t, dir)), Redact: vault("[secret:X]"), Reference: vault("{secret:X}")})
	if _, err := r.Manual("s"); err == nil {
		t.Error("a session without a recording has a writer")
	}
	rec, err := r.Start(t.Context(), "s", recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Manual("s")
	if err != nil {
		t.Fatal(err)
	}
	field := func(value string) recorder.ManualStep {
		return recorder.ManualStep{
			Tool: "form_input", Args: map[string]any{"ref": "e1", "value": value}, Tab: "tab-7", URL: "https://a.example/?token=abcdefgh12345",
			Targets: map[string]locate.Identity{"/ref": {Role: "textbox", Name: "Name"}},
		}
	}
	m.Amend(field("first"))
	m.Amend(field("from the vault"))
	secret := field("hunter2!")
	secret.Secrets = map[string]string{"/value": "hunter2!"}
	m.Append(secret)
	m.AddSecrets("hunter2!")
	m.Append(recorder.ManualStep{Tool: "tabs_close", Args: map[string]any{"tabId": "tab-8"}, Tab: "tab-8", Summary: "it said hunter2!"})
	m.Append(recorder.ManualStep{Tool: "file_upload", Args: map[string]any{"ref": "e1", "filePaths": []any{"a.png"}}, Asked: []string{"/filePaths/0"}})
	if _, err := r.Stop(t.Context(), "s"); err != nil || m.Notice() != "" {
		t.Fatal(err, m.Notice())
	}
	steps, err := r.Archive().Steps(context.Background(), rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range steps {
		all = append(all, fmt.Sprintf("%d %s %s %s %v %q", s.Seq, s.Tab, s.Tool, s.Args, s.MaskedPointers, s.Summary))
	}
	want := []string{
		`1 t1 form_input {"ref":"e1","value":"{secret:X}"} [] ""`,
		`2 t1 form_input {"ref":"e1","value":"[masked]"} [/value] ""`,
		`3 t2 tabs_close {"tabId":"t2"} [] "it said [masked]"`,
		`4  file_upload {"filePaths":["[masked]"],"ref":"e1"} [/filePaths/0] ""`,
	}
	if got := strings.Join(all, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s", got)
	}
	if strings.Contains(steps[0].URL, "abcdefgh12345") {
		t.Errorf("a token is in %s", steps[0].URL)
	}
	m.Append(field("late")) // nothing is recorded any more
	if after, err := r.Archive().Steps(context.Background(), rec.ID); err != nil || len(after) != len(steps) {
		t.Errorf("%d steps, %v", len(after), err)
	}
}
