package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// rounds is the number of times that an action is repeated between two snapshots.
const repetitions = 10

// way is how the tools of a server find a leak.
type way interface {
	name() string
	open(ctx context.Context, c *client, url string) error
	// search returns what the answers name; "" if the server has nothing for the subject.
	search(ctx context.Context, c *client, s subject, dir string) (string, error)
}

func repeated(action string) string {
	return fmt.Sprintf("for (let i = 0; i < %d; i++) %s", repetitions, action)
}

// named says which of the marks of a leak an answer has.
func named(s subject, class, holder string) string {
	if s.classes == nil && s.names == nil {
		return "nothing"
	}
	return fmt.Sprintf("class: %s; holder: %s", class, holder)
}

// callsheetLeaks uses one call of heap_leaks.
type callsheetLeaks struct{}

func (callsheetLeaks) name() string { return "callsheet heap_leaks" }

func (callsheetLeaks) open(ctx context.Context, c *client, url string) error {
	_, err := c.call(ctx, "navigate", map[string]any{"url": url})
	return err
}

func (callsheetLeaks) search(ctx context.Context, c *client, s subject, _ string) (string, error) {
	if s.name == "busy function" {
		return "", nil
	}
	text, err := c.call(ctx, "heap_leaks", map[string]any{"repeat": repetitions / 2, "calls": []any{
		map[string]any{"tool": "javascript_tool", "args": map[string]any{"code": s.action}},
	}})
	return verdict(text), err
}

// verdict reads the first finding of callsheet.
func verdict(text string) string {
	finding := regexp.MustCompile(`(?m)^(.*): \d+ → \d+.* held by (.*?)$`).FindStringSubmatch(text)
	path := regexp.MustCompile(`(?m)^  path: (.*)$`).FindStringSubmatch(text)
	if finding == nil || path == nil {
		return named(subject{}, "", "")
	}
	return named(subject{names: []string{""}}, "1st of the answer, "+finding[1], finding[2]+"; path "+path[1])
}

// callsheetCompare takes a snapshot before the action and compares with it, as a peer must.
type callsheetCompare struct{ callsheetLeaks }

func (callsheetCompare) name() string { return "callsheet heap_compare" }

func (callsheetCompare) search(ctx context.Context, c *client, s subject, _ string) (string, error) {
	if s.name == "busy function" {
		return callsheetProfile(ctx, c, s)
	}
	run := func(code string) error {
		_, err := c.call(ctx, "javascript_tool", map[string]any{"code": code + "; 1"})
		return err
	}
	if err := run(s.action); err != nil {
		return "", err
	}
	text, err := c.call(ctx, "heap_snapshot", nil)
	if err != nil {
		return "", err
	}
	id := regexp.MustCompile(`snapshot_id (\w+)`).FindStringSubmatch(text)
	if err := run(repeated(s.action)); err != nil {
		return "", err
	}
	text, err = c.call(ctx, "heap_compare", map[string]any{"baseline_id": id[1]})
	return verdict(text), err
}

func callsheetProfile(ctx context.Context, c *client, s subject) (string, error) {
	if _, err := c.call(ctx, "cpu_profile", map[string]any{"action": "start"}); err != nil {
		return "", err
	}
	if _, err := c.call(ctx, "javascript_tool", map[string]any{"code": s.action}); err != nil {
		return "", err
	}
	text, err := c.call(ctx, "cpu_profile", map[string]any{"action": "stop", "limit": 5})
	if first := regexp.MustCompile(`self, total: function\n(.*)`).FindStringSubmatch(text); first != nil {
		return "1st: " + first[1], err
	}
	return "nothing", err
}

// devtools uses chrome-devtools-mcp: two snapshots, the comparison, the class that leaks, and the
// retaining paths of one of its new objects. The class to look at is known before.
type devtools struct{}

func (devtools) name() string { return "chrome-devtools-mcp" }

func (devtools) open(ctx context.Context, c *client, url string) error {
	_, err := c.call(ctx, "navigate_page", map[string]any{"type": "url", "url": url})
	return err
}

func (d devtools) search(ctx context.Context, c *client, s subject, dir string) (string, error) {
	run := func(code string) error {
		_, err := c.call(ctx, "evaluate_script", map[string]any{"function": "() => { " + code + "; }"})
		return err
	}
	if s.name == "busy function" {
		return d.trace(ctx, c, s, run)
	}
	before, now := filepath.Join(dir, s.action[:4]+"1.heapsnapshot"), filepath.Join(dir, s.action[:4]+"2.heapsnapshot")
	for _, step := range []struct{ code, file string }{{s.action, before}, {repeated(s.action), now}} {
		if err := run(step.code); err != nil {
			return "", err
		}
		if _, err := c.call(ctx, "take_heapsnapshot", map[string]any{"filePath": step.file}); err != nil {
			return "", err
		}
	}
	files := map[string]any{"baseFilePath": before, "currentFilePath": now}
	text, err := c.call(ctx, "compare_heapsnapshots", files)
	if err != nil {
		return "", err
	}
	rows := regexp.MustCompile(`(?m)^(\d+),(.*),(\d+),(\d+),(-?\d+),`).FindAllStringSubmatch(text, -1)
	for _, want := range s.classes {
		for _, row := range rows {
			if row[2] != want || row[5] == "0" {
				continue
			}
			index, _ := strconv.Atoi(row[1]) // digits, by the pattern
			path, err := d.path(ctx, c, files, index)
			holder := "not in the paths"
			if strings.Contains(path, s.names[0]) {
				holder = "in the paths"
			}
			return named(s, fmt.Sprintf("row %d of %d, %s", index+1, len(rows), want), holder), err
		}
	}
	return fmt.Sprintf("%d classes, of which %d have more objects", len(rows), growing(rows)), nil
}

func growing(rows [][]string) (n int) {
	for _, row := range rows {
		if more, _ := strconv.Atoi(row[5]); more > 0 {
			n++
		}
	}
	return n
}

// path reads the objects of a class, and the retaining paths of the last new one.
func (devtools) path(ctx context.Context, c *client, files map[string]any, index int) (string, error) {
	text, err := c.call(ctx, "compare_heapsnapshots", map[string]any{"baseFilePath": files["baseFilePath"], "currentFilePath": files["currentFilePath"], "classIndex": index})
	if err != nil {
		return "", err
	}
	added := regexp.MustCompile(`(?m)^\s*\+ @(\d+)`).FindAllStringSubmatch(text, -1)
	if len(added) == 0 {
		return "", fmt.Errorf("no new object in %.200s", text)
	}
	id, err := strconv.Atoi(added[len(added)-1][1])
	if err != nil {
		return "", err
	}
	return c.call(ctx, "get_heapsnapshot_retaining_paths", map[string]any{"filePath": files["currentFilePath"], "nodeId": id})
}

func (devtools) trace(ctx context.Context, c *client, s subject, run func(string) error) (string, error) {
	if _, err := c.call(ctx, "performance_start_trace", map[string]any{"reload": false, "autoStop": false}); err != nil {
		return "", err
	}
	if err := run(s.action); err != nil {
		return "", err
	}
	text, err := c.call(ctx, "performance_stop_trace", map[string]any{})
	if strings.Contains(text, s.names[0]) {
		return "the function", err
	}
	return "no function", err
}
