package spec

import (
	"strings"
	"testing"
)

const model = `---
tool: go_back
date: "2026-11-21"
author: ann
reviewer: bob
reviewed_schema_sha256: "0123456789abcdef"
surfaces:
  navigation: {applies: true, why: it leaves the page}
---

# Text
`

// A threat model keeps the places of what it says: they are lines of the file, front matter and
// all.
func TestParseThreatModel(t *testing.T) {
	m, diags := ParseThreatModel(File{Name: "m.md", Data: []byte(model)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if m.Tool.Value != "go_back" || m.Tool.Pos.Line != 2 || m.Hash.Pos.Line != 6 || len(m.Verdicts) != 1 || !m.Verdicts[0].Applies.Value {
		t.Errorf("%+v", m)
	}
	for _, c := range []struct{ from, to string }{
		{"---\ntool", "tool"}, {"\n---\n", "\n"}, {"author: ann\n", ""}, {"applies: true", "applies: yes"}, {"{applies: true, why: it leaves the page}", "yes"},
		{"reviewer: bob", "reviewers: bob"},
	} {
		if _, diags := ParseThreatModel(File{Name: "m.md", Data: []byte(strings.Replace(model, c.from, c.to, 1))}); len(diags) == 0 {
			t.Errorf("%q → %q is accepted", c.from, c.to)
		}
	}
}

// Whatever the text, the readers come back.
func FuzzRecords(f *testing.F) {
	f.Add(model)
	f.Add("version: 1\nproducts: {a: {version: \"1\", checked: x, tools: [b]}}\n")
	f.Add("version: 1\nallowances: [{rule: R, tool: t, why: w}]\n")
	f.Add("version: 1\nscopes: {}\ndeferred: [{tool: a, scope: b, since: c}]\nlog: []\n")
	f.Fuzz(func(_ *testing.T, text string) {
		file := File{Name: "f", Data: []byte(text)}
		ParseThreatModel(file)
		ParseCompetitors(file)
		ParseAllowances(file)
		ParseLock(file)
	})
}
