package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// measureLarge compares two snapshots of a page with many rows, and reports the most memory that the
// server had.
func measureLarge(ctx context.Context, o options, home string, stdout io.Writer) error {
	c, err := start(ctx, o.server)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.call(ctx, "navigate", map[string]any{"url": home}); err != nil {
		return err
	}
	for filled := 0; filled < o.large; filled += 50_000 {
		if _, err := c.call(ctx, "javascript_tool", map[string]any{"code": fmt.Sprintf("fill(%d)", min(50_000, o.large-filled))}); err != nil {
			return err
		}
	}
	idle := peak(c.PID())
	c.reset()
	text, err := c.call(ctx, "heap_snapshot", nil)
	if err != nil {
		return err
	}
	taken := c.time
	fmt.Fprintln(stdout, text)
	id := regexp.MustCompile(`snapshot_id (\w+)`).FindStringSubmatch(text)[1]
	if _, err := c.call(ctx, "javascript_tool", map[string]any{"code": "fill(1000)"}); err != nil {
		return err
	}
	c.reset()
	if text, err = c.call(ctx, "heap_compare", map[string]any{"baseline_id": id}); err != nil {
		return err
	}
	fmt.Fprintln(stdout, text)
	fmt.Fprintf(stdout, "snapshot %.1f s, second snapshot and comparison %.1f s; memory of the server: %.0f MB before, at most %.0f MB\n",
		taken.Seconds(), c.time.Seconds(), idle, peak(c.PID()))
	return nil
}

// peak is the largest resident set that a process has had, in MB; 0 where the system does not say.
func peak(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kB, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64) // 0 for what is no number
	return kB / 1000
}
