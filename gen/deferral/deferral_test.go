package deferral

import (
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

func TestPlaceholder(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                     true,
		"todo":                                 true,
		"TODO: to be done later":               true,
		"to be decided, not yet planned":       true,
		"n/a":                                  true,
		"none":                                 true,
		"too short":                            true,
		"........................":             true,
		"planned: TBD TBD TBD TBD TBD":         true,
		"planned: navigate the active tab":     false,
		"the policy on files is not settled":   false,
		"needs a second pair of eyes on files": false,
	} {
		if got := Placeholder(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestCompetitorIsNamedWhereProductsAreListed checks a deferral without a competitor_ref in a module with
// and without a list of products.
func TestCompetitorIsNamedWhereProductsAreListed(t *testing.T) {
	d := &model.Deferral{Name: "search", Reason: "the index of texts is not settled", Pos: diag.Pos{File: "a.yaml", Line: 1, Col: 1}, Scope: &model.Scope{Name: "s", Records: true}}
	set := &model.Toolset{Deferrals: []*model.Deferral{d}}
	if diags := Check(set, Facts{}); len(diags) > 0 {
		t.Errorf("without products: %v", diags)
	}
	diags := Check(set, Facts{Today: time.Now(), Products: []spec.Product{{Checked: spec.Text{Value: "2026-01-02"}}}})
	if len(diags) != 1 || diags[0].Rule != "deferral-competitor" || diags[0].Pos != d.Pos {
		t.Errorf("with products: %v", diags)
	}
	if envelope := d.Envelope(set); strings.Contains(envelope, "competitorRef") || strings.Contains(envelope, "cliEquivalent") {
		t.Errorf("the answer names a counterpart or a command: %s", envelope)
	}
	d.Scope = &model.Scope{Name: "s"}
	if diags := Check(set, Facts{Today: time.Now(), Products: []spec.Product{{Checked: spec.Text{Value: "2026-01-02"}}}}); len(diags) > 0 {
		t.Errorf("without records: %v", diags)
	}
	diags = Check(set, Facts{Parse: func([]string) error { return nil }})
	if len(diags) != 1 || diags[0].Rule != "deferral-cli" || diags[0].Pos != d.Pos {
		t.Errorf("with a command line: %v", diags)
	}
}
