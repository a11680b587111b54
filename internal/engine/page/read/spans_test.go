package read_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// Cells that span rows or columns stand in each of their places: in readings, in Markdown, in the data, and
// for the refs of cells.
func TestSpansOfTables(t *testing.T) {
	shared := pagetest.Show(t, "")
	for name, c := range map[string]struct {
		table    string
		outline  []string
		markdown []string
		headers  [][]string
		rows     [][]string
		cells    map[string]string // the text of a cell by the path of its ref
	}{
		"rows": {
			table:    `<table><tr><th><th>Mon<th>Tue<tr><th>9:00<td rowspan=2>Meet<td>Free<tr><th>10:00<td>Gym</table>`,
			outline:  []string{"9:00 | Meet | Free", "10:00 | Meet | Gym"},
			markdown: []string{"| 9:00 | Meet | Free |", "| 10:00 | Meet | Gym |"},
			headers:  [][]string{{""}, {"Mon"}, {"Tue"}},
			rows:     [][]string{{"9:00", "Meet", "Free"}, {"10:00", "Meet", "Gym"}},
			cells:    map[string]string{"10:00/Mon": "Meet", "10:00/Tue": "Gym", "10:00/2": "Meet", "10:00/3": "Gym", "9:00/Tue": "Free"},
		},
		"columns": {
			table:    `<table><tr><th>Room<th>9<th>10<th>11<tr><td>A<td colspan=2>Meet<td>Free<tr><td>B<td>Free<td>Gym<td>Run</table>`,
			outline:  []string{"A | Meet | Meet | Free", "B | Free | Gym | Run"},
			markdown: []string{"| A | Meet | Meet | Free |"},
			headers:  [][]string{{"Room"}, {"9"}, {"10"}, {"11"}},
			rows:     [][]string{{"A", "Meet", "Meet", "Free"}, {"B", "Free", "Gym", "Run"}},
			cells:    map[string]string{"A/9": "Meet", "A/10": "Meet", "A/11": "Free", "A/4": "Free"},
		},
		"two header rows": {
			table:    `<table><thead><tr><th rowspan=2>City<th colspan=2>2024<th colspan=2>2025<tr><th>In<th>Out<th>In<th>Out</thead><tr><td>Bern<td>1<td>2<td>3<td>4</table>`,
			outline:  []string{"City | 2024 | 2024 | 2025 | 2025", "City | In | Out | In | Out", "Bern | 1 | 2 | 3 | 4"},
			markdown: []string{"| City | 2024 In | 2024 Out | 2025 In | 2025 Out |", "| Bern | 1 | 2 | 3 | 4 |"},
			headers:  [][]string{{"City"}, {"In", "2024 In", "2024"}, {"Out", "2024 Out", "2024"}, {"In", "2025 In", "2025"}, {"Out", "2025 Out", "2025"}},
			rows:     [][]string{{"Bern", "1", "2", "3", "4"}},
			cells:    map[string]string{"Bern/City": "Bern", "Bern/Out": "2", "Bern/5": "4"},
		},
		"two header rows without spans": {
			table:    `<table><tr><th>Name<th>Width<tr><th>text<th>mm<tr><td>Bolt<td>8</table>`,
			outline:  []string{"Name | Width", "text | mm", "Bolt | 8"},
			markdown: []string{"| Name text | Width mm |", "| Bolt | 8 |"},
			headers:  [][]string{{"text", "Name text", "Name"}, {"mm", "Width mm", "Width"}},
			rows:     [][]string{{"Bolt", "8"}},
		},
		"a bar": {
			table:    `<table><tr><th>Command<th>Use<tr><td>ls | wc<td>a|b</table>`,
			outline:  []string{`ls \| wc | a\|b`},
			markdown: []string{`| ls \| wc | a\|b |`},
			headers:  [][]string{{"Command"}, {"Use"}},
			rows:     [][]string{{"ls | wc", "a|b"}},
		},
		"a row that is one cell": {
			table:   `<table><tr><th>A<th>B<th>C<tr><td colspan=3>Nothing found</table>`,
			outline: []string{": Nothing found\n"}, markdown: []string{"| Nothing found |"},
			headers: [][]string{{"A"}, {"B"}, {"C"}}, rows: [][]string{{"Nothing found", "Nothing found", "Nothing found"}},
		},
		"to the end of the group": {
			table:    `<table><thead><tr><th>Day<th>What</thead><tbody><tr><td rowspan=0>Mon<td>a<tr><td>b</tbody><tbody><tr><td>Tue<td>c</table>`,
			outline:  []string{"Mon | a", "Mon | b", "Tue | c"},
			markdown: []string{"| Mon | b |", "| Tue | c |"},
			headers:  [][]string{{"Day"}, {"What"}}, rows: [][]string{{"Mon", "a"}, {"Mon", "b"}, {"Tue", "c"}},
		},
		"rows that are not shown": {
			table:   `<table><tr><th>Day<th>What<tr><td rowspan=2>Mon<td>a<tr style="display:none"><td>x<tr><td>b<tr><td>Tue<td>c</table>`,
			outline: []string{"Mon | a", "Mon | b", "Tue | c"}, rows: [][]string{{"Mon", "a"}, {"Mon", "b"}, {"Tue", "c"}}, headers: [][]string{{"Day"}, {"What"}},
		},
		"of a drawn grid": {
			table: `<style>.r{display:grid;grid-template-columns:80px 80px 80px}</style><div role=table aria-label=G><div role=row class=r><span role=columnheader>Day</span><span role=columnheader>Am</span><span role=columnheader>Pm</span></div>
<div role=row class=r><span role=cell>Mon</span><span role=cell aria-colspan=2 style="grid-column:span 2">Off</span></div></div>`,
			outline: []string{"Mon | Off | Off"}, cells: map[string]string{"Mon/Am": "Off", "Mon/Pm": "Off", "Mon/3": "Off"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, c.table)
			text := tab.Outline()
			for _, want := range c.outline {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
			markdown := strings.Join(strings.FieldsFunc(tab.MustRead(read.Options{Mode: read.ModeMarkdown}).Text, func(r rune) bool { return r == ' ' }), " ")
			for _, want := range c.markdown {
				if !strings.Contains(markdown, want) {
					t.Errorf("%q is not in the Markdown\n%s", want, markdown)
				}
			}
			for path, want := range c.cells {
				info, err := tab.Document.Describe(tab.Ctx, tab.Ref("table,[role=table]")+"/"+path)
				if err != nil || info.Text != want {
					t.Errorf("cell %s is %q (%v), want %q", path, info.Text, err, want)
				}
			}
			if c.rows == nil {
				return
			}
			data, err := tab.Read.StructuredData(tab.Ctx, read.DataOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got := data.Documents[0].Tables[0]
			if !slices.EqualFunc(got.Headers, c.headers, slices.Equal) || !slices.EqualFunc(got.Rows, c.rows, slices.Equal) {
				t.Errorf("the data are %q %q, want %q %q", got.Headers, got.Rows, c.headers, c.rows)
			}
		})
	}
}
