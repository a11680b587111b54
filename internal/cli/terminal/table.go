package terminal

import (
	"strings"
	"unicode/utf8"
)

// Row is a line of cells in a style; "" means none.
type Row struct {
	Cells []string
	Style string
}

// Table writes rows under headings, in columns as wide as they need. Numbers stand to the right.
func (s *Screen) Table(head []string, rows [][]string) error {
	lines := []Row{{head, Bold}}
	for _, cells := range rows {
		lines = append(lines, Row{Cells: cells})
	}
	return s.rows("", lines, 1)
}

// Rows writes rows without headings, each after the indent.
func (s *Screen) Rows(indent string, rows []Row) error { return s.rows(indent, rows, 0) }

// rows writes rows, of which the first are heads.
func (s *Screen) rows(indent string, rows []Row, heads int) error {
	if len(rows) == 0 {
		return nil
	}
	for _, row := range rows {
		for i, cell := range row.Cells {
			row.Cells[i] = Plain(cell)
		}
	}
	columns := len(rows[0].Cells)
	widths, right := make([]int, columns), make([]bool, columns)
	for i := range columns {
		right[i] = len(rows) > heads
		for n, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row.Cells[i]))
			right[i] = right[i] && (n < heads || isNumber(row.Cells[i]))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row.Cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			switch {
			case right[i]:
				b.WriteString(pad + s.Style(row.Style, cell))
			case i == columns-1:
				b.WriteString(s.Style(row.Style, cell))
			default:
				b.WriteString(s.Style(row.Style, cell) + pad)
			}
			if i < columns-1 {
				b.WriteString("  ")
			}
		}
		if err := s.Line(strings.TrimRight(indent+b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

func isNumber(cell string) bool {
	return cell != "" && strings.Trim(cell, "0123456789.-") == ""
}
