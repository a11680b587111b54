package widgets

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// result is the outcomes of one server.
type result struct {
	server   string
	outcomes []outcome
}

// readResults reads outcomes as -out wrote them. list is NAME=FILE between commas.
func readResults(list string) ([]result, error) {
	var results []result
	for item := range strings.SplitSeq(list, ",") {
		name, path, ok := strings.Cut(item, "=")
		if !ok {
			return nil, fmt.Errorf("-table wants NAME=FILE between commas, not %q", item)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		r := result{server: name}
		if err := json.Unmarshal(data, &r.outcomes); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		results = append(results, r)
	}
	return results, nil
}

// writeTable writes a Markdown table of task by server, the totals, and why tasks were not solved.
func writeTable(w io.Writer, results []result) error {
	var b strings.Builder
	b.WriteString("| server | solved | median calls | median bytes |\n| --- | ---: | ---: | ---: |\n")
	for _, r := range results {
		calls, bytes := costs(r.outcomes)
		fmt.Fprintf(&b, "| %s | %d of %d (%.1f %%) | %d | %d |\n", r.server, len(calls), len(r.outcomes),
			100*float64(len(calls))/float64(max(1, len(r.outcomes))), median(calls), median(bytes))
	}
	b.WriteString("\n| library | task |")
	for _, r := range results {
		fmt.Fprintf(&b, " %s |", r.server)
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(results)) + "\n")
	for _, first := range results[0].outcomes {
		fmt.Fprintf(&b, "| %s | %s |", first.Page, first.Task)
		for _, r := range results {
			fmt.Fprintf(&b, " %s |", r.cell(first.Page, first.Task))
		}
		b.WriteString("\n")
	}
	for _, r := range results {
		r.writeMisses(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell is the cost of a task, or the mark of an unsolved one.
func (r result) cell(page, task string) string {
	for _, out := range r.outcomes {
		switch {
		case out.Page != page || out.Task != task:
		case !out.Solved:
			return "no"
		case out.Calls == 1:
			return fmt.Sprintf("1 call, %d B", out.Bytes)
		default:
			return fmt.Sprintf("%d calls, %d B", out.Calls, out.Bytes)
		}
	}
	return "not run"
}

func (r result) writeMisses(b *strings.Builder) {
	header := fmt.Sprintf("\nNot solved by %s:\n\n", r.server)
	for _, out := range r.outcomes {
		if out.Solved {
			continue
		}
		b.WriteString(header)
		header = ""
		reason := strings.NewReplacer("|", "\\|", "<", "&lt;", "\n", " ").Replace(out.Reason)
		fmt.Fprintf(b, "- %s/%s: %s\n", out.Page, out.Task, reason)
	}
}

// costs returns the calls and bytes of solved tasks.
func costs(outcomes []outcome) (calls, bytes []int) {
	for _, out := range outcomes {
		if out.Solved {
			calls, bytes = append(calls, out.Calls), append(bytes, out.Bytes)
		}
	}
	return calls, bytes
}

func TestTableComparesServers(t *testing.T) {
	ours := result{"ours", []outcome{{Page: "p", Task: "sort", Solved: true, Calls: 1, Bytes: 90}, {Page: "p", Task: "drag", Reason: "a | b"}}}
	theirs := result{"theirs", []outcome{{Page: "p", Task: "sort", Solved: true, Calls: 3, Bytes: 700}}}
	var b strings.Builder
	if err := writeTable(&b, []result{ours, theirs}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| ours | 1 of 2 (50.0 %) | 1 | 90 |", "| p | sort | 1 call, 90 B | 3 calls, 700 B |",
		"| p | drag | no | not run |", `- p/drag: a \| b`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
}
