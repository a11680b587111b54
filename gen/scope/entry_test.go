package scope

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const contents = tools + `prompts:
  - name: review
    title: Review
    description: Reviews.
    capability: core
    scope: [default, beta]
    visible: connected
    arguments: {number: {required: true, description: Which.}, tone: {enum: [a, b]}}
resources:
  - name: note
    title: Note
    description: Holds.
    capability: core
    scope: default
    visible: always
    uriTemplate: note://{id}
    mimeType: text/plain
    subscribe: true
    annotations: {priority: 0.5}
`

// A lock of a set without prompts and resources does not speak of any.
func TestLockWithoutEntries(t *testing.T) {
	text, err := Freeze(resolve(t, tools), nil, Entry{Who: "A", Why: "first", When: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "prompts") || strings.Contains(string(text), "resources") {
		t.Errorf("%s", text)
	}
}

// Each promise of a prompt or a resource changes what the lock says of it, and nothing else does.
func TestEntryTerms(t *testing.T) {
	text, err := Freeze(resolve(t, contents), nil, Entry{Who: "A", Why: "first", When: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	lock := parse(t, text)
	for _, edit := range []struct {
		from, to string
		want     []string // rules and the beginnings of messages
	}{
		{"", "", nil},
		{"{number: {required: true, description: Which.}, tone: {enum: [a, b]}}", "{tone: {enum: [b, a]}, number: {description: Which., required: true}}", nil},
		{"    scope: [default, beta]\n    visible: connected", "    scope: default\n    visible: connected", nil},
		{"number: {required: true,", "number: {", []string{`scope-changed prompt "review" has other arguments`}},
		{"tone: {enum: [a, b]}", "tone: {enum: [a, b, c]}", []string{`scope-changed prompt "review" has other arguments`}},
		{"description: Which.", "description: Who.", []string{`scope-changed prompt "review" has another title`}},
		{"visible: connected", "visible: always", []string{`scope-changed prompt "review" was visible when connected`}},
		{"name: review", "name: look", []string{`scope-added prompt "look"`, `scope-removed prompt "review"`}},
		{"    scope: default\n    visible: always\n    uri", "    scope: beta\n    visible: always\n    uri", []string{`scope-removed resource "note"`}},
		{"note://{id}", "note://{name}", []string{`scope-changed resource "note" has another address`}},
		{"subscribe: true", "subscribe: false", []string{`scope-changed resource "note" has another address`}},
		{"text/plain", "text/html", []string{`scope-changed resource "note" has another address`}},
		{"priority: 0.5", "priority: 1", []string{`scope-changed resource "note" has another title`}},
		{"Holds.\n    capability: core", "Holds.\n    capability: other", []string{`scope-changed resource "note" was of capability`}},
	} {
		if !strings.Contains(contents, edit.from) {
			t.Fatalf("nothing to edit: %q", edit.from)
		}
		var got []string
		for i, d := range Check(resolve(t, strings.Replace(contents, edit.from, edit.to, 1)), lock) {
			message := d.Rule + " " + d.Message
			if i < len(edit.want) {
				message = message[:min(len(message), len(edit.want[i]))]
			}
			got = append(got, message)
		}
		if diff := cmp.Diff(edit.want, got); diff != "" {
			t.Errorf("%q → %q: %s", edit.from, edit.to, diff)
		}
	}
	again, err := Freeze(resolve(t, strings.Replace(contents, "note://{id}", "note://{name}", 1)), lock, Entry{Who: "A", Why: "second", When: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if diags := Check(resolve(t, strings.Replace(contents, "note://{id}", "note://{name}", 1)), parse(t, again)); len(diags) > 0 {
		t.Error(diags)
	}
	edited := strings.Replace(string(text), `visible: "connected"`, `visible: "always"`, 1)
	if diags := Check(resolve(t, strings.Replace(contents, "visible: connected", "visible: always", 1)), parse(t, []byte(edited))); len(diags) != 1 || diags[0].Rule != ruleEdited {
		t.Errorf("an edit by hand: %v", diags)
	}
}
