package read_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

const manyRows = `<h1>Orders</h1><ul id=rows></ul><script>
const draw = (word, n = 200) => { rows.innerHTML = Array.from({length: n}, (_, i) => '<li><p>' + word + ' ' + i + '</p><p>of the list</p>').join('') };
const ask = (name) => document.body.insertAdjacentHTML('beforeend', '<div role=dialog aria-label="' + name + '" style="position:fixed;inset:90px;background:#fff"><p>Really?</p><button>Yes</button></div>');
draw('Row')</script>`

// A difference that is as long as the page has the new lines alone, and the topmost layer first.
func TestDiffOfAChangedPage(t *testing.T) {
	shared := pagetest.Show(t, "")
	for name, c := range map[string]struct {
		change    string
		want, not []string
	}{
		"dialog over a redrawn page": {`draw('Line'), ask('Rename')`, []string{"+ - dialog \"Rename\" [e", "+   - text: Really?", "+   - button \"Yes\" [e"}, []string{"Orders", "Row 7"}},
		"two dialogs":                {`draw('Line'), ask('First'), ask('Second')`, []string{"+ - dialog \"Second\" [e", "+ - dialog \"First\" [e"}, nil},
		"too many lines to compare":  {`draw('Line', 2500), ask('Rename')`, []string{"+ - dialog \"Rename\" [e"}, []string{"Orders"}},
		"without a dialog":           {`draw('Line')`, []string{"- text: Line 0\n"}, []string{"Orders", "Row 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, manyRows)
			tab.Outline()
			tab.JS("(" + c.change + ", 1)")
			r := tab.MustRead(read.Options{Diff: true, MaxBytes: 1000})
			if !r.IsDiff || r.NoDiff != "" || !strings.HasPrefix(r.Text, c.want[0]) && name != "without a dialog" {
				t.Errorf("the difference is\n%s", r.Text)
			}
			for _, want := range c.want {
				if !strings.Contains(r.Text, want) {
					t.Errorf("%q is not in\n%s", want, r.Text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(r.Text, not) {
					t.Errorf("%q is in\n%s", not, r.Text)
				}
			}
		})
	}
	t.Run("without an earlier reading", func(t *testing.T) {
		t.Parallel()
		tab := pagetest.Show(t, manyRows)
		tab.JS("(ask('Rename'), 1)")
		r := tab.MustRead(read.Options{Diff: true, MaxBytes: 1000})
		if r.IsDiff || !strings.HasPrefix(r.Text, `- dialog "Rename" [e`) || !strings.Contains(r.Text, `- heading "Orders"`) {
			t.Errorf("the reading is\n%s", r.Text)
		}
	})
}

// Readings of parts do not take the place of the reading that a difference is to.
func TestDiffAfterReadingsOfParts(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, manyRows)
	tab.Outline()
	for range 12 {
		tab.MustRead(read.Options{Selector: "h1"})
		tab.MustRead(read.Options{Mode: read.ModeInteractive, Selector: "ul"})
	}
	tab.JS("(ask('Rename'), 1)")
	if r := tab.MustRead(read.Options{Diff: true}); !r.IsDiff || strings.Contains(r.Text, "Row 7") {
		t.Errorf("the difference is\n%s", r.Text)
	}
}
