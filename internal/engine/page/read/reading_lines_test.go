package read_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// Readings of small things that come in numbers, and of boxes around controls.

func TestDaysShareLines(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<div id=week></div><div id=days></div><script>
for (const d of 'Mo Tu We Th Fr Sa Su'.split(' ')) week.insertAdjacentHTML('beforeend', '<div>' + d + '</div>');
for (let d = 1; d <= 9; d++) days.insertAdjacentHTML('beforeend', '<div style="cursor:pointer"' + (d == 2 ? ' aria-selected=true' : '') + '>' + d + '</div>');
</script>`)
	text := regexp.MustCompile(`\[e\d+\]`).ReplaceAllString(b.Outline(), "[e]")
	for _, want := range []string{
		"- text: Mo | Tu | We | Th | Fr | Sa | Su\n",
		`- clickable "1" [e] | "2" [e] selected | "3" [e] | "4" [e] | "5" [e] | "6" [e] | "7" [e]` + "\n",
		`- clickable "8" [e] | "9" [e]` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the reading lacks %q:\n%s", want, text)
		}
	}
}

func TestFewControlsHaveLinesOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<button>1</button><button>2</button><button>3</button><p>yes</p><p>no</p><div id=all></div><script>
for (let i = 0; i < 9; i++) all.insertAdjacentHTML('beforeend', '<button>Action ' + i + '</button>')</script>`)
	if text := b.Outline(); strings.Contains(text, " | ") {
		t.Errorf("the reading is\n%s", text)
	}
}

// A box that takes clicks and contains rows is not named by them: the rows are read with their cells.
func TestBoxAroundRowsDoesNotHideThem(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<div id=box><table><tr><th>Make<th>Year<tr><td>Tesla<td>2019</table></div><script>box.onmousedown = () => {}</script>`)
	if text := b.Outline(); !strings.Contains(text, "row: Tesla | 2019") {
		t.Errorf("the reading is\n%s", text)
	}
}

func TestBoxWithTheNameOfItsOnlyControlIsThatControl(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<div id=host aria-label=Save><button>Save</button></div><div role=tab tabindex=0><span id=inner>General</span></div>
<script>for (const el of [host, inner]) el.onclick = () => {}</script>`)
	if text := b.Outline(); strings.Contains(text, "clickable") || !strings.Contains(text, `button "Save"`) || !strings.Contains(text, `tab "General"`) {
		t.Errorf("the reading is\n%s", text)
	}
}

func TestTreeItemIsNotNamedByItsCheckboxAndIcon(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<div role=tree><div role=treeitem tabindex=0><span role=img aria-label=caret-down>▾</span>
<span role=checkbox tabindex=0 aria-label="Select Plants" aria-checked=false>☐</span><span>Plants</span></div></div>`)
	if text := b.Outline(); !strings.Contains(text, `treeitem "Plants"`) {
		t.Errorf("the reading is\n%s", text)
	}
}

// A custom select's value is its visible text, not its hidden options.
func TestValueOfACustomSelectIsWhatItShows(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<div role=combobox tabindex=0 aria-label=Currency aria-expanded=false><select hidden><option>Euro<option>Yen</select>
<span>Euro</span><div style="display:none"><div role=option>Euro</div><div role=option>Yen</div></div></div>`)
	if text := b.Outline(); !strings.Contains(text, `combobox "Currency" [e1] collapsed value "Euro"`) {
		t.Errorf("the reading is\n%s", text)
	}
}
