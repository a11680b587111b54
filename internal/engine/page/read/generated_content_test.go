package read_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// Generated content is part of names, also with so many elements that the rules are searched first.
// A rule that is added, changed or removed without a mutation counts.
func TestGeneratedContentInNames(t *testing.T) {
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, `<button class=c%d>B%d</button>`, i, i)
	}
	shared := pagetest.Show(t, "")
	for name, c := range map[string]struct {
		style string
		want  []string
		not   string
	}{
		"plain":    {`.c100::after{content:"!"}.c3:before{content:"?"}p::before{content:"none"}`, []string{`"B100!"`, `"?B3"`, `"B99"`}, "none"},
		"media":    {`@media all{@supports (color:red){@layer x{.c100::after{content:"!"}}}}`, []string{`"B100!"`, `"B99"`}, "B99!"},
		"nested":   {`.c100{color:red;&::after{content:"!"}}`, []string{`"B100!"`, `"B99"`}, "B99!"},
		"every":    {`::after{content:"!"}`, []string{`"B100!"`, `"B0!"`}, `"B9"`},
		"variable": {`*,::after{--x:"!"}.c100::after{content:var(--x)}`, []string{`"B100!"`, `"B99"`}, "B99!"},
		"scoped":   {`@scope(body){.c100::after{content:"!"}}`, []string{`"B100!"`, `"B99"`}, "B99!"},
		"none":     {`.c100{color:red}`, []string{`"B100"`}, "!"},
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, "<style>"+c.style+"</style>"+b.String())
			text := tab.MustRead(read.Options{MaxBytes: 1 << 20}).Text
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s is not in\n%s", want, text)
				}
			}
			if strings.Contains(text, c.not) {
				t.Errorf("%s is in\n%s", c.not, text)
			}
			tab.JS(`document.styleSheets[0].insertRule('.c110::after{content:"+"}')`)
			if text = tab.MustRead(read.Options{MaxBytes: 1 << 20}).Text; !strings.Contains(text, `"B110+"`) {
				t.Errorf("a rule that came later is not seen in\n%s", text)
			}
		})
	}
}
