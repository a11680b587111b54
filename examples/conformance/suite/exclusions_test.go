package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	found := outcome{failures: map[string][]string{"passes": nil, "fails": {"check: it fails"}}}
	for text, want := range map[string]string{
		"2026-07-28 fails a reason": "",
		"":                          "2026-07-28 fails fails",
		"2026-07-28 fails a reason\n2026-07-28 passes a reason": "passes does not fail any more",
		"2026-07-28 fails a reason\n2026-07-28 gone a reason":   "gone does not fail any more",
		"0.1.16 fails a reason\n2026-07-28 fails a reason":      "",
	} {
		e, err := parseExclusions(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got := fmt.Sprint(found.judge("2026-07-28", e)); got != "[]" && want == "" || !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", text, got, want)
		}
	}
	if _, err := parseExclusions("# why\n2026-07-28 fails"); err == nil || !strings.Contains(err.Error(), "exclusions.txt:2") {
		t.Errorf("an exclusion without a reason: %v", err)
	}
	if got := leftOut([]outcome{{failures: map[string][]string{"a": nil}, left: []string{"b", "c"}}, {failures: map[string][]string{"b": nil}, left: []string{"a", "c"}}}).left; fmt.Sprint(got) != "[c]" {
		t.Errorf("left out of both runs: %v, want c", got)
	}
}
