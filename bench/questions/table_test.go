package questions

import (
	"fmt"
	"io"
	"strings"
)

// row is one question with the answers, in the order of the servers.
type row struct {
	question question
	answers  []answer
}

// writeTable prints the answers side by side, and what each server found in all.
func writeTable(out io.Writer, servers []*server, rows []row) {
	fmt.Fprint(out, "| question | facts |")
	for _, s := range servers {
		fmt.Fprintf(out, " %s %s: found | calls | bytes | ms |", s.name, s.version)
	}
	fmt.Fprint(out, "\n|---|--:|"+strings.Repeat("---|--:|--:|--:|", len(servers))+"\n")
	found, bytes, facts := make([]int, len(servers)), make([]int, len(servers)), 0
	for _, r := range rows {
		fmt.Fprintf(out, "| %s | %d |", r.question.Name, len(r.question.Facts))
		facts += len(r.question.Facts)
		for i, a := range r.answers {
			text := "all"
			if len(a.missed) > 0 {
				text = fmt.Sprintf("%d; not: %s", len(a.found), strings.Join(a.missed, ", "))
			}
			if strings.Contains(a.text, noAnswer) {
				text += " " + noAnswer
			}
			fmt.Fprintf(out, " %s | %d | %d | %d |", text, a.calls, a.bytes, a.took.Milliseconds())
			found[i] += len(a.found)
			bytes[i] += a.bytes
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "| **all** | %d |", facts)
	for i := range servers {
		fmt.Fprintf(out, " %d | | %d | |", found[i], bytes[i])
	}
	fmt.Fprintln(out)
}
