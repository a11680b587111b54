package debugger

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/internal/text"
)

// textLimit is the length of the longest text of a pause, in bytes.
const textLimit = 6000

// Text returns the pause in at most 6000 bytes: location and reason, source, values, and up to
// frames frames of the call stack. Each section has its own limit, so that none displaces another.
func (p Pause) Text(frames int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "paused at %s — %s\n", formatPlace(p.Function, p.Location), text.ClipBytes(p.reasonText(), 400))
	if g := p.Location.Generated; g != nil {
		fmt.Fprintf(&b, "(generated: %s)\n", g)
	}
	for _, l := range p.Source {
		mark := ' '
		if l.Current {
			mark = '>'
		}
		fmt.Fprintf(&b, "%c %4d | %s\n", mark, l.Number, l.Text)
	}
	writeSection(&b, 700, p.changeLines())
	writeSection(&b, 700, p.watchLines())
	writeSection(&b, 2000, p.scopeLines())
	writeSection(&b, 1300+50*max(frames-12, 0), p.frameLines(frames))
	return text.ClipBytes(strings.TrimSuffix(b.String(), "\n"), textLimit)
}

// writeSection writes lines up to limit bytes, and the number of omitted lines.
func writeSection(b *strings.Builder, limit int, lines []string) {
	for i, line := range lines {
		if line = text.ClipBytes(line, limit); limit < len(line) || i > 0 && limit < len(line)+30 && i < len(lines)-1 {
			fmt.Fprintf(b, "… %d more\n", len(lines)-i)
			return
		}
		limit -= len(line) + 1
		b.WriteString(line + "\n")
	}
}

func (p Pause) changeLines() (lines []string) {
	for _, c := range p.Changes {
		if c.Old == "" {
			lines = append(lines, fmt.Sprintf("new: %s = %s", c.Name, c.New))
		} else {
			lines = append(lines, fmt.Sprintf("changed: %s: %s → %s", c.Name, c.Old, c.New))
		}
	}
	return lines
}

// WatchText returns the watched expressions and their values, one per line.
func (p Pause) WatchText() string {
	var b strings.Builder
	writeSection(&b, 3000, p.watchLines())
	return strings.TrimSuffix(b.String(), "\n")
}

func (p Pause) watchLines() (lines []string) {
	for _, w := range p.Watches {
		sign := "="
		if w.Failed {
			sign = "✗"
		}
		lines = append(lines, fmt.Sprintf("watch: %s %s %s", text.ClipBytes(w.Expression, 80), sign, w.Value))
	}
	return lines
}

func (p Pause) scopeLines() (lines []string) {
	if p.ReturnValue != "" {
		lines = append(lines, "returning: "+p.ReturnValue)
	}
	if p.This != "" && p.This != "undefined" && p.This != "Window" {
		lines = append(lines, "this: "+p.This)
	}
	for _, s := range p.Scopes {
		head := s.Kind
		if s.Name != "" && s.Kind != "local" {
			head += " of " + s.Name
		}
		lines = append(lines, head+":")
		for _, v := range s.Variables {
			lines = append(lines, "  "+v.Name+" = "+v.Value)
		}
		if s.Omitted > 0 {
			lines = append(lines, fmt.Sprintf("  … %d more", s.Omitted))
		}
	}
	return lines
}

func (p Pause) frameLines(most int) (lines []string) {
	lines = append(lines, "call stack:")
	for i, f := range p.Frames {
		if i == most {
			return append(lines, fmt.Sprintf("  … %d more", len(p.Frames)-most))
		}
		if f.Async != "" {
			lines = append(lines, "  — "+f.Async+" —")
		}
		name := f.Function
		if name == "" {
			name = "(anonymous)"
		}
		id := f.ID
		if id == "" {
			id = "··"
		}
		lines = append(lines, fmt.Sprintf("  %s %s %s", id, text.ClipBytes(name, 60), f.Location))
	}
	return lines
}
