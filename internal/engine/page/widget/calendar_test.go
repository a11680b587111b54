package widget_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// monthTable is a calendar of March 2026 whose month stands between the buttons of its head, without
// blanks. With numbered, the first cell of each row is the number of its week.
const monthTable = `<div id=cal><div><button>Prev</button><b>March</b><b>2026</b><button>Next</button></div><table id=days></table></div><script>
function fill(numbered) {
  days.innerHTML = '<tr>' + 'Mo Tu We Th Fr Sa Su'.split(' ').map((d) => '<th>' + d).join('') + '</tr>';
  for (let day = -5, week = 9; day <= 31; day += 7, week++) {
    const row = days.insertRow();
    if (numbered) row.insertCell().outerHTML = '<td class=cw>' + week;
    for (let d = day; d < day + 7; d++) row.insertCell().outerHTML = d < 1 || d > 31 ? '<td>' : '<td><button>' + d + '</button>';
  }
}
fill(false)
</script>`

func TestReadingNamesTheMonthOfACalendar(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, monthTable)
	for _, numbered := range []string{"false", "true"} {
		b.JS("fill(" + numbered + ")")
		if text := b.Outline(); !strings.Contains(text, `table "March 2026" [`) {
			t.Errorf("with week numbers %s the reading is\n%s", numbered, text)
		}
	}
}

// A table of numbers is not a calendar because a month is named above it.
func TestReadingNamesNoMonthOfOtherTables(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<h2>March 2026</h2><table><tr><th>A<th>B</tr><tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td>6<tr><td>7<td>8</table>`)
	if text := b.Outline(); strings.Contains(text, `table "`) {
		t.Errorf("the reading is\n%s", text)
	}
}

// A field's label does not include the calendar that a library opens inside of the label, and the days in
// it are read.
func TestLabelDoesNotIncludeAPopupInIt(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<label>Check-in <input id=d><div style="position:absolute;top:60px"><button>March 2026</button><i>Open daily</i></div></label>`)
	text := b.Outline()
	if !strings.Contains(text, `textbox "Check-in" [`) || !strings.Contains(text, `button "March 2026"`) || !strings.Contains(text, "Open daily") {
		t.Errorf("the reading is\n%s", text)
	}
}
