package scope

import (
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Whatever someone changes in a lock by hand changes its digest; freeze alone makes them agree.
func TestEdited(t *testing.T) {
	set := resolve(t, tools)
	text, err := Freeze(set, nil, Entry{Who: "A", Why: "first", When: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	old := parse(t, text)
	at := diag.Pos{File: "lock.yaml", Line: 1, Col: 1}
	old.Released = spec.LockedRelease{Version: spec.Text{Value: "1.0", Pos: at}, Record: spec.Text{Value: "0", Pos: at}}
	if text, err = Freeze(set, old, Entry{Who: "B", Why: "second", When: time.Unix(0, 0)}); err != nil {
		t.Fatal(err)
	}
	if diags := countEdits(parse(t, text)); diags > 0 {
		t.Fatalf("%v in\n%s", diags, text)
	}
	for _, edit := range [][2]string{
		{`since: "2"`, `since: "1"`}, {"tool: read", "tool: raed"}, {`who: "A"`, `who: "C"`}, {`why: "first"`, `why: "1st"`},
		{`why: "second"`, `why: "none"`}, {"1970-01-01", "1971-01-01"}, {"  browser:", "  brouser:"},
		{"\nreleased:", "\ndeferred: [{tool: x, scope: default, since: \"1\"}]\nreleased:"},
		{"tier: 1", "tier: 2"}, {"capability: core", "capability: other"}, {`visible: "always"`, `visible: "never"`},
		{"surfaces: []", "surfaces: [file]"}, {`traits: "`, `traits: "0`}, {`texts: "`, `texts: "0`}, {`version: "1.0"`, `version: "1.1"`},
		{`record: "0"`, `record: "1"`}, {"released: ", "# released: "},
		{"\nreleased:", "\npromoted: [{tool: x, scope: default, since: \"1\"}]\nreleased:"},
	} {
		broken := strings.Replace(string(text), edit[0], edit[1], 1)
		if broken == string(text) {
			t.Fatalf("nothing to edit: %q", edit[0])
		}
		if countEdits(parse(t, []byte(broken))) == 0 {
			t.Errorf("%q → %q goes unseen", edit[0], edit[1])
		}
	}
}

func countEdits(lock *spec.Lock) (n int) {
	checkEdited(Input{Lock: lock}, func(diag.Pos, string, ...any) *diag.Diagnostic {
		n++
		return new(diag.Diagnostic)
	})
	return n
}
