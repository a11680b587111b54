package breaking

import (
	"slices"
	"testing"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// TestCodes compares codes of a release with those of another, and weighs an allowance.
func TestCodes(t *testing.T) {
	t.Parallel()
	row := func(name, class string, fields ...Field) Surface {
		return Surface{Version: "1", Tools: []Tool{}, Codes: []Code{{name, class, fields}}}
	}
	tabs := Field{"tabs", "array"}
	was := row("NO_TAB", "not_found", tabs)
	for name, c := range map[string]struct {
		now  Surface
		want []string
	}{
		"same":         {was, nil},
		"a field more": {row("NO_TAB", "not_found", tabs, Field{"tabId", "string"}), nil},
		"any type":     {row("NO_TAB", "not_found", Field{"tabs", "any"}), nil},
		"renamed":      {row("TAB_GONE", "not_found", tabs), []string{"CODE_NO_DELETE"}},
		"other class":  {row("NO_TAB", "conflict", tabs), []string{"CODE_SAME_CLASS"}},
		"no field":     {row("NO_TAB", "not_found"), []string{"CODE_FIELD_NO_DELETE"}},
		"other type":   {row("NO_TAB", "not_found", Field{"tabs", "string"}), []string{"CODE_FIELD_NO_DELETE"}},
	} {
		if got := rules(Compare(was, c.now, nil, never)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	text, err := was.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Decode(text)
	if err != nil || len(read.Codes) != 1 || len(Compare(read, was, nil, never)) > 0 {
		t.Errorf("%v\n%s", err, text)
	}
	at := func(Change) (diag.Pos, *diag.Fix) { return diag.Pos{File: "tools.yaml", Line: 1, Col: 1}, nil }
	allowances, diags := spec.ParseAllowances(spec.File{Name: "allowances.yaml", Data: []byte("version: 1\nallowances:\n  - {rule: CODE_NO_DELETE, code: NO_TAB, why: nothing returned it}\n")})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	changes := Compare(was, row("TAB_GONE", "not_found"), nil, never)
	if judged, diags := Judge(changes, allowances, at); len(diags) > 0 || judged[0].Allowed == "" {
		t.Errorf("%+v %v", judged, diags)
	}
	allowances[0].Tool = allowances[0].Code
	if _, diags := Judge(changes, allowances, at); len(diags) != 2 { // the change is not allowed, and the allowance names two things
		t.Errorf("%v", diags)
	}
}
