package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/coverage"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/internal/repotest"
)

// measured are the directories whose files are listed.
var measured = []string{"internal/", "tools/"}

// blocksOf runs f, and returns how often each block of the measured files ran meanwhile. The name of a block is its file, ":"
// and its range.
func blocksOf(ctx context.Context, f func() error) (map[string]int64, error) {
	dir, err := os.MkdirTemp("", "callpath-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := coverage.ClearCounters(); err != nil {
		return nil, fmt.Errorf("clear counters: %w; build with -cover -covermode=atomic", err)
	}
	if err := f(); err != nil {
		return nil, err
	}
	if err := coverage.WriteCountersDir(dir); err != nil {
		return nil, fmt.Errorf("write counters: %w", err)
	}
	if err := coverage.WriteMetaDir(dir); err != nil {
		return nil, fmt.Errorf("write what the counters stand for: %w", err)
	}
	profile := filepath.Join(dir, "profile")
	if out, err := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i", dir, "-o", profile).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go tool covdata: %w: %s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return counts(string(text)), nil
}

// counts reads the counters of a profile, whose lines are: module/file:range statements count.
func counts(profile string) map[string]int64 {
	out := map[string]int64{}
	for line := range strings.Lines(profile) {
		fields := strings.Fields(strings.TrimPrefix(line, repotest.Module+"/"))
		if len(fields) != 3 || !slices.ContainsFunc(measured, func(dir string) bool { return strings.HasPrefix(fields[0], dir) }) {
			continue
		}
		if n, err := strconv.ParseInt(fields[2], 10, 64); err == nil && n > 0 {
			out[fields[0]] += n
		}
	}
	return out
}
