package main

import (
	"strings"
	"testing"
)

func TestTableComparesServers(t *testing.T) {
	ours := result{"ours", []outcome{{Page: "p", Task: "sort", Solved: true, Calls: 1, Bytes: 90}, {Page: "p", Task: "drag", Reason: "a | b"}}}
	theirs := result{"theirs", []outcome{{Page: "p", Task: "sort", Solved: true, Calls: 3, Bytes: 700}}}
	var b strings.Builder
	if err := writeTable(&b, []result{ours, theirs}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| ours | 1 of 2 (50.0 %) | 1 | 90 |", "| p | sort | 1 call, 90 B | 3 calls, 700 B |",
		"| p | drag | no | not run |", `- p/drag: a \| b`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
}
