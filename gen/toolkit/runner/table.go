package runner

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// WriteJSON prints the tools of a surface as JSON, with the bytes of the list.
func WriteJSON(w io.Writer, rows []toolkit.Row) error {
	type row struct {
		Name       string `json:"name"`
		Capability string `json:"capability"`
		Tier       int    `json:"tier"`
		Bytes      int    `json:"bytes"`
		Listed     bool   `json:"listed"`
		Why        string `json:"why,omitempty"`
	}
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = row{r.Tool.Name, r.Tool.Capability, r.Tool.Tier, r.Bytes, r.Listed, r.Reason}
	}
	_, bytes := listed(rows)
	return json.NewEncoder(w).Encode(struct {
		Tools []row `json:"tools"`
		Bytes int   `json:"bytes"`
	}{out, bytes})
}

// listed counts the tools that are in a list, and the list's bytes.
func listed(rows []toolkit.Row) (tools, bytes int) {
	bytes = len("[]")
	for _, r := range rows {
		if r.Listed {
			tools++
			bytes += r.Bytes + len(",")
		}
	}
	return tools, bytes - min(tools, 1) // one comma less than tools
}

// Group is the tools of one capability, for people.
type Group struct {
	Title   string // the capability
	Summary string
	Heads   []string
	Lines   []Line
}

// Line is a tool in the columns of its group.
type Line struct {
	Cells  []string
	Listed bool
}

// Groups returns the tools of a surface by capability, in the order of the registry, and a sentence
// about the whole list.
func Groups(rows []toolkit.Row) (groups []Group, summary string) {
	at := make(map[string]int)
	var of [][]toolkit.Row
	for _, r := range rows {
		i, ok := at[r.Tool.Capability]
		if !ok {
			i = len(groups)
			at[r.Tool.Capability] = i
			title := r.Tool.Capability
			if title == "" {
				title = "no capability"
			}
			groups, of = append(groups, Group{Title: title, Heads: []string{"tool", "tier", "bytes", ""}}), append(of, nil)
		}
		why := r.Reason
		if r.Listed {
			why = "listed"
		}
		of[i] = append(of[i], r)
		groups[i].Lines = append(groups[i].Lines, Line{[]string{r.Tool.Name, strconv.Itoa(r.Tool.Tier), strconv.Itoa(r.Bytes), why}, r.Listed})
	}
	for i := range groups {
		bytes, all := 0, 0
		tools, _ := listed(of[i])
		for _, r := range of[i] {
			all += r.Bytes
			if r.Listed {
				bytes += r.Bytes
			}
		}
		groups[i].Summary = fmt.Sprintf("%d of %d listed, %d of %d bytes", tools, len(of[i]), bytes, all)
	}
	tools, bytes := listed(rows)
	return groups, fmt.Sprintf("%d of %d tools are listed, in %d bytes", tools, len(rows), bytes)
}

// WriteTable prints the tools of a surface for people.
func WriteTable(w io.Writer, rows []toolkit.Row) error {
	groups, summary := Groups(rows)
	for _, g := range groups {
		_, _ = fmt.Fprintf(w, "%s: %s\n", g.Title, g.Summary)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, line := range g.Lines {
			_, _ = fmt.Fprintln(t, "  "+strings.Join(line.Cells, "\t"))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, summary)
	return err
}
