package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

func TestSiteRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(file, name string) string {
		steps := []recorder.Step{
			{Seq: 1, Tool: "navigate", Args: json.RawMessage(`{"url":"http://a.example/new"}`), Outcome: "ok", Tab: "t1"},
			{Seq: 2, Tool: "form_input", Args: json.RawMessage(`{"ref":"e1","value":"` + name + `"}`), Outcome: "ok", Tab: "t1", URL: "http://a.example/new",
				Targets: map[string]locate.Identity{"/ref": {Role: "textbox", Name: "Name"}}},
		}
		data, err := json.Marshal(map[string]any{"metadata": recorder.Recording{ID: "rec-1"}, "steps": steps})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, file)
	}
	first, second := write("a.json", "Ann"), write("b.json", "Bob")
	run := func(args ...string) (string, int) {
		var out bytes.Buffer
		code := program{stdin: strings.NewReader(""), stdout: &out, stderr: &out}.run(t.Context(), append([]string{"record"}, args...))
		return out.String(), code
	}
	if out, code := run(dir, "add_name", "--from", first); code != 2 || !strings.Contains(out, "two recordings") {
		t.Errorf("with one recording: %d %s", code, out)
	}
	out, code := run(dir, "add_name", "--from", first, "--from", second)
	if code != 0 || !strings.Contains(out, "1 steps, 1 parameters; not confirmed yet") {
		t.Fatalf("%d %s", code, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "tools", "add_name.yaml"))
	if err != nil || !strings.Contains(string(text), `value: "{name}"`) || !strings.Contains(string(text), "confirmed: false") {
		t.Errorf("%v\n%s", err, text)
	}
	for name, text := range map[string]string{
		"site.yaml": "version: 1\nname: a\norigins: [http://a.example]\nsecrets: [PASS]\n" +
			"facts:\n  signed_in: {description: Signed in., observe: {element: {role: link, name: Sign out}}, event: clears}\n",
		"tools/sign_in.yaml": "name: sign_in\ndescription: Sign in.\nvisible: \"!signed_in\"\nchanges: {sets: [signed_in]}\nsteps:\n  - type \"{secret:PASS}\" in Password\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, code := run(dir, "add_name", "--force", "--from", first, "--from", second); code != 0 {
		t.Errorf("beside a tool that signs in: %d %s", code, out)
	}
	if text, err = os.ReadFile(filepath.Join(dir, "tools", "add_name.yaml")); err != nil || !strings.Contains(string(text), "visible: signed_in\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if out, code := run(dir, "add_name", "--from", first, "--from", second); code != 2 || !strings.Contains(out, "--force") {
		t.Errorf("a second time: %d %s", code, out)
	}
}
