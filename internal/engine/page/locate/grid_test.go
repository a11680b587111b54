package locate_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// best returns the best match of a query as "role name in path".
func best(b *pagetest.Tab, query string) (line string, m locate.Match) {
	b.T.Helper()
	found, err := b.Locate.Find(b.Ctx, query, locate.FindOptions{})
	if err != nil {
		b.T.Fatalf("finding %q: %v", query, err)
	}
	if len(found) == 0 {
		return "", m
	}
	return found[0].Role + " " + found[0].Name + " in " + found[0].Path, found[0]
}

const plainTable = `<table id=t><thead><tr><th>Name<th>Qty<th>Note<th></thead><tbody>
<tr><td>Name 1<td>5<td><td><button>Delete</button><input type=checkbox>
<tr><td>Name 2<td>7<td>new<td><button>Delete</button><input type=checkbox>
<tr><td>Name 3<td>5<td><td><button>Delete</button><input type=checkbox></table>`

// A grid of two halves side by side, as frozen columns are drawn, with an overlay over its header.
const splitGrid = `<style>[role=row]{display:flex;height:20px}[role=row]>*{width:60px}.half{position:absolute;top:40px}</style>
<div role=grid style="position:relative;height:200px;margin-top:400px" aria-rowcount=201 tabindex=0>
<div class=half style="left:0;top:0"><div role=row aria-rowindex=1><div role=columnheader aria-colindex=1>Name</div></div></div>
<div class=half style="left:60px;top:0"><div role=row aria-rowindex=1><div role=columnheader aria-colindex=2 aria-sort=descending>Qty</div>
<div role=columnheader aria-colindex=3>Note</div></div></div>
<div class=half style="left:60px"><div role=row aria-rowindex=2><div role=gridcell aria-colindex=2>5</div><div role=gridcell aria-colindex=3></div></div>
<div role=row aria-rowindex=3><div role=gridcell aria-colindex=2>7</div><div role=gridcell aria-colindex=3></div></div></div>
<div class=half style="left:0"><div role=row aria-rowindex=2><div role=gridcell aria-colindex=1>Ada</div></div>
<div role=row aria-rowindex=3><div role=gridcell aria-colindex=1>Bob</div></div></div></div>`

func TestFindCells(t *testing.T) {
	b := pagetest.Show(t, plainTable+splitGrid)
	for query, want := range map[string]string{
		"Name 2":                        "cell Name 2 in row",
		"Name 3 Qty":                    `cell 5 in row "Name 3"`,
		"Note of Name 2":                `cell new in row "Name 2"`,
		"row 3 Note":                    `cell  in row "Name 3"`,
		"checkbox in row Name 2":        `checkbox  in row "Name 2"`,
		`Delete button in row "Name 3"`: `button Delete in row "Name 3"`,
		"Delete Name 2":                 `button Delete in row "Name 2"`,
		"Qty in row Name 2":             `cell 7 in row "Name 2"`,
		"Bob Qty":                       `gridcell 7 in grid > row "Bob"`,
		"Ada Note":                      `gridcell  in grid > row "Ada"`,
	} {
		if got, _ := best(b, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestDerivedRefs(t *testing.T) {
	b := pagetest.Show(t, plainTable+splitGrid)
	table, grid := b.Ref("#t"), b.Ref("[role=grid]")
	row := b.Ref("tbody tr:nth-child(2)")
	b.Outline()
	for ref, want := range map[string]string{
		row + "/1": "Name 2", row + "/Qty": "7", "@" + row + "/3": "new", table + "/3/Name": "Name 3", table + "/Name 3/2": "5",
		grid + "/Bob/Qty": "7", grid + "/1/1": "Ada",
	} {
		got, err := b.Document.Describe(b.Ctx, ref)
		if err != nil || got.Text != want {
			t.Errorf("%s: %q %v, want %q", ref, got.Text, err, want)
		}
	}
	var missing *document.NoCellError
	for _, ref := range []string{table + "/9/1", table + "/Name 1/Price", row + "/7", table + "/Name 4/1"} {
		if _, err := b.Document.Describe(b.Ctx, ref); !errors.As(err, &missing) {
			t.Errorf("%s: %v", ref, err)
		}
	}
	b.JS(`document.querySelector('tbody').append(document.querySelector('tbody tr'))`)
	if got, err := b.Document.Describe(b.Ctx, table+"/1/1"); err != nil || got.Text != "Name 1" {
		t.Errorf("a number names the row that was listed there, not the one that is there now: %q %v", got.Text, err)
	}
	b.JS(`document.querySelector('tbody tr:last-child td').textContent = 'Name 9'`)
	var stale *document.StaleRefError
	if _, err := b.Document.Describe(b.Ctx, table+"/1/1"); !errors.As(err, &stale) {
		t.Errorf("a row with other content: %v", err)
	}
}

func TestSetCell(t *testing.T) {
	b := pagetest.Show(t, plainTable+`<script>
document.querySelectorAll('td').forEach((td) => td.ondblclick = () => {
  const box = document.createElement('input');
  box.value = td.textContent;
  td.textContent = '';
  td.append(box);
  box.focus();
  box.onkeydown = (e) => { if (e.key === 'Enter') td.textContent = box.value === 'no' ? '7' : box.value; };
});</script>`)
	_, cell := best(b, "Name 3 Qty")
	if e := b.MustSet(cell.Ref, "42"); e.Element == nil || e.Element.Name != "42" {
		t.Errorf("%+v", e.Element)
	}
	if got := b.JS(`document.querySelector('tbody tr:last-child').cells[1].textContent`); got != "42" {
		t.Errorf("the cell holds %q", got)
	}
	_, cell = best(b, "Name 2 Qty")
	var refused *document.ValueRefusedError
	if _, err := b.Widget.SetValue(b.Ctx, cell.Ref, "no"); !errors.As(err, &refused) {
		t.Errorf("a value that the page does not take: %v", err)
	}
	_, box := best(b, "checkbox in row Name 1")
	b.MustSet(box.Ref, "true")
	if got := b.JS(`document.querySelector('tbody tr input').checked`); got != "true" {
		t.Errorf("checked: %s", got)
	}
}

// The editor of some grids is one text area that lies over the cell.
func TestSetCellWithEditorOverIt(t *testing.T) {
	b := pagetest.Show(t, splitGrid+`<textarea id=e style="position:absolute;display:none;width:60px;height:20px"></textarea><script>
const grid = document.querySelector('[role=grid]');
let cell;
grid.onclick = (e) => { cell = e.target; grid.focus(); };
grid.onkeydown = (event) => {
  if (event.key !== 'Enter') return;
  const r = cell.getBoundingClientRect();
  Object.assign(e.style, { display: 'block', left: r.left + scrollX + 'px', top: r.top + scrollY + 'px' });
  e.value = cell.textContent;
  e.focus();
  event.preventDefault();
};
e.onkeydown = (event) => { if (event.key === 'Enter') { cell.textContent = e.value; e.style.display = 'none'; event.preventDefault(); } };
</script>`)
	_, cell := best(b, "Bob Note")
	b.MustSet(cell.Ref, "late")
	if got, _ := best(b, "Bob Note"); got != `gridcell late in grid > row "Bob"` {
		t.Error(got)
	}
}

// A filter in a header is called after its column, and some look at it only when a key goes up.
func TestSetFilterOfColumn(t *testing.T) {
	b := pagetest.Show(t, `<table><tr><th>Name <input onkeyup="out.textContent = this.value"><th>Qty</table><p id=out></p>`)
	line, m := best(b, "Name filter")
	if line != "textbox Name filter in row" {
		t.Error(line)
	}
	b.MustSet(m.Ref, "Ada")
	if got := b.JS(`out.textContent`); got != "Ada" {
		t.Errorf("the page saw %q", got)
	}
}

// A grid that draws the rows in view alone tells about how many there are.
func TestReadingEstimatesTheRowsOfAVirtualGrid(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<div role=grid id=g style="height:200px;overflow:auto;position:relative"><div id=all style="height:10000px"></div></div><script>
window.draw = (count) => { all.replaceChildren(...Array.from({length: count}, (_, i) => {
  const row = document.createElement('div'); row.role = 'row'; row.style = 'height:20px';
  row.innerHTML = '<span role=gridcell>Item ' + i + '</span>'; return row })) }
draw(12)</script>`)
	if text := b.Outline(); !strings.Contains(text, "12 of about 500 rows") {
		t.Errorf("the reading is\n%s", text)
	}
	b.JS("draw(500)")
	if text := b.Outline(); strings.Contains(text, "rows:") {
		t.Errorf("a grid that draws all rows is read as\n%.200s", text)
	}
}

func TestReadingTellsFilteredColumns(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<table><tr><th class="head is-filtered">Name<th><span>Age</span><i class="grid-filter-trigger active">▾</i><th class=filter-inactive>City
<th><i class="grid-filter-trigger">▾</i>Street<tr><td>Ada<td>40<td>Rome<td>Via</table>`)
	row := regexp.MustCompile(`(?m)row: .*filtered.*$`).FindString(b.Outline())
	cells := strings.Split(row, " | ")
	if len(cells) != 4 || !strings.Contains(cells[0], "filtered") || !strings.Contains(cells[1], "filtered") ||
		strings.Contains(cells[2], "filtered") || strings.Contains(cells[3], "filtered") {
		t.Errorf("the reading is\n%s", b.Outline())
	}
}

// Handles between the cells that resize columns are read once, with the header.
func TestReadingFoldsHandlesThatResizeColumns(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<style>.resize{cursor:ew-resize;display:inline-block;width:5px;height:9px}</style><div role=grid>
<div role=row><span role=columnheader>Name</span><i class=resize></i><span role=columnheader>Price</span></div>
<div role=row><span role=gridcell>Pen</span><i class=resize></i><span role=gridcell>3</span></div></div>
<script>for (const el of document.querySelectorAll('.resize')) el.onmousedown = () => {}</script>`)
	text := b.Outline()
	if strings.Count(text, "clickable") != 1 || !strings.Contains(text, "row: Pen | 3") {
		t.Errorf("the reading is\n%s", text)
	}
}
