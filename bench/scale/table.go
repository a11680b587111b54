package main

import (
	"fmt"
	"io"
	"time"
)

// writeHeader writes the head of a Markdown table.
func writeHeader(w io.Writer) {
	fmt.Fprintln(w, "| server | sessions | opening all | calls/s | median | p95 | calls of a session | CPU of a call | errors | refusals | server memory | browser memory |")
	fmt.Fprintln(w, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
}

// writeRow writes a line of the table. Memory is that of a session beyond the first.
func writeRow(w io.Writer, r row) {
	fmt.Fprintf(w, "| %s | %d | %s | %.1f | %s | %s | %d–%d | %s | %d | %d | %s | %s |\n", r.server, r.sessions, milliseconds(r.opened),
		float64(r.calls)/max(r.elapsed.Seconds(), 1e-9), milliseconds(r.median), milliseconds(r.p95), r.fewest, r.most,
		milliseconds(r.cpu), r.errors, r.refusals, megabytes(r.serverMemory), megabytes(r.browserMemory))
	if r.scrape > 0 {
		share := r.scrape.Seconds() / scrapeInterval.Seconds() / (r.cpu.Seconds() * float64(r.calls) / r.elapsed.Seconds())
		fmt.Fprintf(w, "\nA scrape takes %s of a processor: one in %v adds %.2f %% to what the calls take.\n", milliseconds(r.scrape), scrapeInterval, 100*share)
	}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
}

func megabytes(bytes int64) string {
	if bytes == -1 {
		return "–"
	}
	return fmt.Sprintf("%.2f MB", float64(bytes)/(1<<20))
}
