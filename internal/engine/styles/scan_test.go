package styles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScanConditional(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, sheet string
		want        []string
	}{
		"plain":    {text: ".a { color: red }"},
		"media":    {text: "@media print{.a{color:red;margin:0}}\n.b{top:0}", want: []string{"0:16 .a | @media print | color: red", "0:26 .a | @media print | margin: 0"}},
		"nested":   {text: "@media print {\n .a { & .b { color: red } left: 0; @supports (x: y) { top: 1px } } }", want: []string{"1:13 .a > & .b | @media print | color: red", "1:26 .a | @media print | left: 0", "1:54 .a | @media print, @supports (x: y) | top: 1px"}},
		"comments": {text: "/* @media { */ @media /* x */ print { /* y; */ .a /* } */ { color /* c */ : /* d */ red } }", want: []string{"0:60 .a | @media print | color: red"}},
		"strings":  {text: `@media print { .a { content: "}{;\"" ; color: url(a;b}c) } }`, want: []string{`0:20 .a | @media print | content: "}{;\""`, "0:39 .a | @media print | color: url(a;b"}},
		"opaque":   {text: "@media print { @keyframes k { from { color: red } } @font-face { src: x } @layer l { .a { color: red } } }", want: []string{"0:90 .a | @media print | color: red"}},
		"sheet":    {text: ".a { color: red }", sheet: "@media print", want: []string{"0:5 .a | @media print | color: red"}},
		"wide":     {text: "/* 😀 */ @container (width > 1px) { .a { color: red } }", want: []string{"0:41 .a | @container (width > 1px) | color: red"}},
		"cut off":  {text: "@media print { .a { color: red", want: []string{"0:20 .a | @media print | color: red"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			scanConditional(c.text, c.sheet, func(c conditional) bool {
				property, _, _ := strings.Cut(withoutComments(c.property), " ")
				got = append(got, fmt.Sprintf("%d:%d %s | %s | %s: %s", c.at.StartLine, c.at.StartColumn,
					strings.Join(c.selectors, " > "), strings.Join(c.conditions, ", "), property, c.value))
				return true
			})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzScanConditional expects that any text ends, and that no position is outside of it.
func FuzzScanConditional(f *testing.F) {
	for _, seed := range []string{"@media print { .a { color: red } }", "}}}{{{", `@media "`, "/*", "@media{a{b:c\\", "a{@supports(x){b:\xff}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n")
		scanConditional(text, "@media x", func(c conditional) bool {
			if c.at.StartLine > lines || c.at.StartColumn > 2*len(text) {
				t.Errorf("%d:%d is outside of the text", c.at.StartLine, c.at.StartColumn)
			}
			return true
		})
	})
}
