package code_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/code"
)

// TestCheck compares envelopes with a table.
func TestCheck(t *testing.T) {
	t.Parallel()
	table := code.Table{
		Codes:  []code.Info{{Code: "NO_TAB", Class: code.ClassNotFound, Fields: []code.Field{{Name: "tabs", Type: "array"}}}},
		Common: []code.Field{{Name: "step", Type: "number"}, {Name: "error", Type: "any"}},
	}
	for envelope, want := range map[string]string{
		`{"code":"NO_TAB","tool":"read","tabs":["t1"],"step":2,"error":{},"message":"no"}`: "",
		`{"code":"NO_TAB","tabs":null}`:     "",
		`{"code":"NO_TABS","message":"no"}`: `code "NO_TABS" is not declared`,
		`{"message":"no"}`:                  `code "" is not declared`,
		`{"code":"NO_TAB","tab":"t1"}`:      `code NO_TAB does not declare the field "tab"`,
		`{"code":"NO_TAB","tabs":"t1"}`:     `field "tabs" of code NO_TAB is string, and is declared as array`,
		`{"code":"NO_TAB","step":true}`:     `field "step" of code NO_TAB is boolean, and is declared as number`,
		`[]`:                                "read the envelope",
	} {
		err := table.Check([]byte(envelope))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", envelope, err, want)
		}
	}
}

// TestEveryClassHasAStatus holds the list of classes against the numbers and the codes.
func TestEveryClassHasAStatus(t *testing.T) {
	t.Parallel()
	last := 0
	for _, c := range code.Classes() {
		if c.Status() <= last {
			t.Errorf("class %s has status %d after %d", c, c.Status(), last)
		}
		last = c.Status()
	}
	seen := map[code.Code]bool{}
	for _, row := range code.Builtin() {
		if seen[row.Code] || row.Class.Status() == 0 || row.Description == "" {
			t.Errorf("code %s is listed twice, or without a class or a description", row.Code)
		}
		seen[row.Code] = true
	}
}
