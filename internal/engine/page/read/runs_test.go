package read_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// A run of nameless controls shares a line. What tells them apart stays.
func TestRunsOfNamelessControls(t *testing.T) {
	const style = `<style>button,i{display:inline-block;width:20px;height:20px}</style>`
	shared := pagetest.Show(t, "")
	for name, c := range map[string]struct {
		body  string
		want  []string
		lines int
	}{
		"buttons":   {strings.Repeat(`<button class=univer-box-border></button>`, 40), []string{"- button [e1] | [e2] | [e3] | ", " | [e40] (.univer-box-border)\n"}, 1},
		"wrapped":   {strings.Repeat(`<div><span><button class=swatch></button></span></div>`, 5), []string{"- button [e1] | [e2] | [e3] | [e4] | [e5] (.swatch)\n"}, 1},
		"clickable": {strings.Repeat(`<i style="cursor:pointer" class=cell></i>`, 9), []string{"- clickable [e1] | [e2]", "[e9] (.cell)\n"}, 1},
		"few":       {strings.Repeat(`<button class=x></button>`, 3), []string{"- button [e1] (.x)\n", "- button [e3] (.x)\n"}, 3},
		"hints":     {strings.Repeat(`<button class=cut></button>`, 4) + strings.Repeat(`<button class=copy></button>`, 4), []string{"[e4] (.cut)\n", "- button [e5] | [e6] | [e7] | [e8] (.copy)\n"}, 2},
		"states":    {strings.Repeat(`<button class=x></button>`, 4) + `<button class=x disabled></button>`, []string{"- button [e5] disabled (.x)\n"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, style+c.body)
			tab.UseSession(tab.Session) // its refs begin with e1
			text := tab.MustRead(read.Options{Mode: read.ModeInteractive}).Text
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
			if strings.Count(text, "\n") != c.lines {
				t.Errorf("%d lines are wanted of\n%s", c.lines, text)
			}
		})
	}
}

// The name of a picture of an icon font is no second control beside a link or in it.
func TestIconFontsAreNoSecondControl(t *testing.T) {
	const style = `<style>.i{font:20px "Material Icons",sans-serif;display:inline-block;width:20px;height:20px;overflow:hidden;cursor:pointer}</style>`
	tab := pagetest.Show(t, "")
	for name, c := range map[string]struct {
		body     string
		controls int
	}{
		"beside a link":         {`<div><a href=/h>Start</a><i class=i>home</i></div>`, 1},
		"in an item":            {`<ul><li><span class=i>arrow_forward</span><a href=/h>Next</a></li></ul>`, 1},
		"in a link of one look": {`<a href=/h style="cursor:default">Start <span class=i>home</span></a>`, 1},
		"beside a button":       {`<p><button>Save</button><i class=i>save</i></p>`, 1},
		"alone":                 {`<div><i class=i>delete</i></div>`, 1},
		"with a listener":       {`<div><a href=/h>Start</a><i class=i id=x>close</i></div>` + listen("#x", "click"), 2},
		"a word":                {`<div><a href=/h>Start</a> <span style="cursor:pointer">more</span></div>`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if text := tab.Row(t, style+c.body).Outline(); strings.Count(text, "[e") != c.controls {
				t.Errorf("%d controls are wanted of\n%s", c.controls, text)
			}
		})
	}
}
