package widgets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
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
		return p.press(ctx, d, strings.Split(s.target, ""))
	case "press":
		return p.press(ctx, d, strings.Fields(s.target))
	case "set":
		return p.set(ctx, d, s)
	case "drag":
		return p.drag(ctx, d, s)
	}
	line, err := p.find(ctx, d, s.target)
	if err != nil {
		return err
	}
	switch s.verb {
	case "click":
		return p.act(ctx, d, "browser_click", line, nil)
	case "double":
		return p.act(ctx, d, "browser_click", line, map[string]any{"doubleClick": true})
	case "hover":
		return p.act(ctx, d, "browser_hover", line, nil)
	case "upload":
		if err := p.act(ctx, d, "browser_click", line, nil); err != nil {
			return err
		}
		return p.call(ctx, d, "browser_file_upload", map[string]any{"paths": []string{filepath.Join(d.files, s.value)}})
	}
	return fmt.Errorf("no call for %s", s)
}

func (p playwright) press(ctx context.Context, d *driver, keys []string) error {
	for _, key := range keys {
		if err := p.call(ctx, d, "browser_press_key", map[string]any{"key": key}); err != nil {
			return err
		}
	}
	return nil
}

func (p playwright) drag(ctx context.Context, d *driver, s step) error {
	if strings.HasPrefix(s.value, "+") {
		return errors.New("no tool of the default list drags by an offset")
	}
	start, err := p.find(ctx, d, s.target)
	if err != nil {
		return err
	}
	end, err := p.find(ctx, d, s.value)
	if err != nil {
		return err
	}
	return p.call(ctx, d, "browser_drag", map[string]any{
		"startElement": s.target, "startTarget": start.ref, "endElement": s.value, "endTarget": end.ref,
	})
}

// set does what a reader of the snapshot would do with a field: type into text, fill a slider,
// click a box, choose options of anything else, and edit a cell by a double click.
func (p playwright) set(ctx context.Context, d *driver, s step) error {
	line, err := p.findField(ctx, d, s.target)
	if err != nil {
		return err
	}
	switch line.role {
	case "textbox", "searchbox", "spinbutton":
		return p.act(ctx, d, "browser_type", line, map[string]any{"text": s.value})
	case "slider":
		field := map[string]any{"name": s.target, "type": "slider", "target": line.ref, "value": s.value}
		return p.call(ctx, d, "browser_fill_form", map[string]any{"fields": []any{field}})
	case "checkbox", "switch", "radio":
		return p.act(ctx, d, "browser_click", line, nil)
	case "cell", "gridcell":
		if err := p.act(ctx, d, "browser_click", line, map[string]any{"doubleClick": true}); err != nil {
			return err
		}
		return p.press(ctx, d, append(append([]string{"Control+a"}, strings.Split(s.value, "")...), "Enter"))
	}
	return p.choose(ctx, d, line, s.value)
}

// choose selects the options of a select, or opens a list and clicks each option. Where no option
// has the name, it types that and presses Enter.
func (p playwright) choose(ctx context.Context, d *driver, line snapshotLine, value string) error {
	values := []string{value}
	if json.Unmarshal([]byte(value), &values) != nil {
		values = []string{value}
	}
	if p.isSelect(d, line) {
		return p.act(ctx, d, "browser_select_option", line, map[string]any{"values": values})
	}
	if err := p.act(ctx, d, "browser_click", line, nil); err != nil {
		return err
	}
	for _, value := range values {
		option, err := p.find(ctx, d, value)
		if err == nil && option.ref != line.ref {
			err = p.act(ctx, d, "browser_click", option, nil)
		} else {
			err = p.act(ctx, d, "browser_type", line, map[string]any{"text": value, "submit": true})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isSelect reports whether options stand under the field in the snapshot, as those of a <select> do.
func (playwright) isSelect(d *driver, field snapshotLine) bool {
	lines := parseSnapshot(d.reading)
	for i, line := range lines {
		if line.ref == field.ref && line.ref != "" {
			under := lines.inside(i)
			return len(under) > 0 && under[0].role == "option"
		}
	}
	return false
}

// act calls a tool on an element.
func (p playwright) act(ctx context.Context, d *driver, tool string, line snapshotLine, more map[string]any) error {
	args := map[string]any{"element": line.role, "target": line.ref}
	for name, value := range more {
		args[name] = value
	}
	return p.call(ctx, d, tool, args)
}

// call keeps the snapshot that an answer brings.
func (p playwright) call(ctx context.Context, d *driver, tool string, args map[string]any) error {
	text, err := d.call(ctx, tool, args)
	d.reading = "" // the page may have changed
	if strings.Contains(text, "[ref=") {
		d.reading = text
	}
	return err
}

// find looks for a target in the latest snapshot, then in a new one.
func (p playwright) find(ctx context.Context, d *driver, name string) (snapshotLine, error) {
	return p.look(ctx, d, name, snapshot.find)
}

func (p playwright) findField(ctx context.Context, d *driver, name string) (snapshotLine, error) {
	return p.look(ctx, d, name, snapshot.findField)
}

func (p playwright) look(ctx context.Context, d *driver, name string, find func(snapshot, string) (snapshotLine, bool)) (snapshotLine, error) {
	name = strings.TrimPrefix(name, "@")
	if line, ok := find(parseSnapshot(d.reading), name); ok {
		return line, nil
	}
	if err := d.read(ctx); err != nil {
		return snapshotLine{}, err
	}
	if line, ok := find(parseSnapshot(d.reading), name); ok {
		return line, nil
	}
	return snapshotLine{}, fmt.Errorf("the snapshot has no ref for %q", name)
}
