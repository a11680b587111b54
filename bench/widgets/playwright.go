package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// playwright drives @playwright/mcp with the tools of its default list. Its tools take refs of a
// snapshot, so a step whose target is not in the latest one costs a snapshot first.
type playwright struct{}

func (playwright) navigate(url string) (string, map[string]any) {
	return "browser_navigate", map[string]any{"url": url}
}

func (playwright) read() (string, map[string]any) { return "browser_snapshot", map[string]any{} }

func (playwright) evaluate(expression string) (string, map[string]any) {
	return "browser_evaluate", map[string]any{"function": "() => " + expression}
}

func (playwright) isTrue(answer string) bool { return strings.Contains(answer, "true\n") }

func (p playwright) perform(ctx context.Context, d *driver, s step) error {
	switch s.verb {
	case "type":
		for _, key := range s.target {
			if _, err := d.call(ctx, "browser_press_key", map[string]any{"key": string(key)}); err != nil {
				return err
			}
		}
		return nil
	case "press":
		for key := range strings.FieldsSeq(s.target) {
			if _, err := d.call(ctx, "browser_press_key", map[string]any{"key": key}); err != nil {
				return err
			}
		}
		return nil
	}
	ref, line, err := p.find(ctx, d, s.target)
	if err != nil {
		return err
	}
	element := map[string]any{"element": s.target, "ref": ref, "target": ref}
	switch s.verb {
	case "click":
		return p.call(ctx, d, "browser_click", element)
	case "double":
		element["doubleClick"] = true
		return p.call(ctx, d, "browser_click", element)
	case "hover":
		return p.call(ctx, d, "browser_hover", element)
	case "set":
		return p.set(ctx, d, s, element, line)
	case "drag":
		end, _, err := p.find(ctx, d, s.value)
		if err != nil {
			return err
		}
		return p.call(ctx, d, "browser_drag", map[string]any{
			"startElement": s.target, "startRef": ref, "startTarget": ref, "endElement": s.value, "endRef": end, "endTarget": end,
		})
	case "upload":
		if err := p.call(ctx, d, "browser_click", element); err != nil {
			return err
		}
		return p.call(ctx, d, "browser_file_upload", map[string]any{"paths": []string{filepath.Join(d.files, s.value)}})
	}
	return fmt.Errorf("no call for %s", s)
}

// set types into text fields, clicks boxes, and opens anything else to click the option of that
// name.
func (p playwright) set(ctx context.Context, d *driver, s step, element map[string]any, line string) error {
	switch {
	case strings.Contains(line, "textbox"), strings.Contains(line, "spinbutton"), strings.Contains(line, "searchbox"):
		element["text"] = s.value
		return p.call(ctx, d, "browser_type", element)
	case s.value == "true":
		return p.call(ctx, d, "browser_click", element)
	}
	if err := p.call(ctx, d, "browser_click", element); err != nil {
		return err
	}
	ref, _, err := p.find(ctx, d, s.value)
	if err != nil {
		return err
	}
	return p.call(ctx, d, "browser_click", map[string]any{"element": s.value, "ref": ref, "target": ref})
}

// call keeps the snapshot that an answer brings.
func (p playwright) call(ctx context.Context, d *driver, tool string, args map[string]any) error {
	text, err := d.call(ctx, tool, args)
	if strings.Contains(text, "[ref=") {
		d.reading = text
	} else {
		d.reading = "" // the page may have changed
	}
	return err
}

var refPattern = regexp.MustCompile(`\[ref=(\w+)\]`)

// find looks for a target in the latest snapshot, then in a new one.
func (p playwright) find(ctx context.Context, d *driver, name string) (ref, line string, err error) {
	text := strings.TrimPrefix(name, "@")
	for range 2 {
		for line := range strings.Lines(d.reading) {
			if match := refPattern.FindStringSubmatch(line); match != nil && strings.Contains(line, text) {
				return match[1], line, nil
			}
		}
		if err := d.read(ctx); err != nil {
			return "", "", err
		}
	}
	return "", "", fmt.Errorf("the snapshot has no ref for %q", text)
}
