package widgets

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// callsheet drives this project's own server with the tools of its default list.
type callsheet struct{}

func (callsheet) navigate(url string) (string, map[string]any) {
	return "navigate", map[string]any{"url": url}
}

func (callsheet) read() (string, map[string]any) { return "read_page", map[string]any{} }

func (callsheet) evaluate(expression string) (string, map[string]any) {
	return "javascript_tool", map[string]any{"code": expression}
}

func (callsheet) isTrue(answer string) bool { return strings.Contains(answer, "true") }

func (c callsheet) perform(ctx context.Context, d *driver, s step) error {
	tool, args, err := c.translate(d, s)
	if err != nil {
		return err
	}
	_, err = d.call(ctx, tool, args)
	return err
}

// translate returns the one call that a step is.
func (c callsheet) translate(d *driver, s step) (string, map[string]any, error) {
	switch s.verb {
	case "click", "double", "hover":
		args, err := c.target(d, s.target, "ref", "query")
		if s.verb != "click" {
			args["action"] = map[string]string{"double": "double_click", "hover": "hover"}[s.verb]
		}
		return "interact", args, err
	case "set":
		field, err := c.target(d, s.target, "ref", "query")
		field["value"] = s.value
		return "fill_form", map[string]any{"fields": []any{field}}, err
	case "drag":
		args, err := c.target(d, s.target, "ref", "query")
		if err != nil {
			return "", nil, err
		}
		if offset, ok := strings.CutPrefix(s.value, "+"); ok {
			var x, y int
			if _, err := fmt.Sscanf(offset, "%d,%d", &x, &y); err != nil {
				return "", nil, fmt.Errorf("an offset is written +X,Y: %w", err)
			}
			args["offset"] = []int{x, y}
			return "drag_drop", args, nil
		}
		end, err := c.target(d, s.value, "target_ref", "target_query")
		for name, value := range end {
			args[name] = value
		}
		return "drag_drop", args, err
	case "type":
		return "computer", map[string]any{"action": "type", "text": s.target}, nil
	case "press":
		return "computer", map[string]any{"action": "key", "text": s.target}, nil
	case "upload":
		args, err := c.target(d, s.target, "ref", "query")
		args["filePaths"] = []string{filepath.Join(d.files, s.value)}
		return "file_upload", args, err
	}
	return "", nil, fmt.Errorf("no call for %s", s)
}

// target names an element by a description, or by the ref of the first line of the reading that
// contains the text after @.
func (callsheet) target(d *driver, name, byRef, byQuery string) (map[string]any, error) {
	text, ok := strings.CutPrefix(name, "@")
	if !ok {
		return map[string]any{byQuery: name}, nil
	}
	for line := range strings.Lines(d.reading) {
		if !strings.Contains(line, text) {
			continue
		}
		if _, rest, ok := strings.Cut(line, "[e"); ok {
			number, _, _ := strings.Cut(rest, "]")
			if _, err := strconv.Atoi(number); err == nil {
				return map[string]any{byRef: "e" + number}, nil
			}
		}
	}
	encoded, _ := json.Marshal(text) // a string
	return map[string]any{}, fmt.Errorf("the reading has no ref for %s", encoded)
}
