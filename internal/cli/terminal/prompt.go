package terminal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"
)

// maxAttempts is the number of replies that are read for one question before the reply counts as a no.
const maxAttempts = 3

// Prompt asks the person at a terminal. What a program writes is no consent, so there is no prompt
// where the input is a pipe or a file.
type Prompt struct {
	in    io.Reader
	out   io.Writer
	once  sync.Once
	lines chan string // closed at the end of the input
}

// NewPrompt returns a prompt that writes to out and reads replies from in, or nil unless both are
// terminals.
func NewPrompt(in io.Reader, out io.Writer) *Prompt {
	for _, v := range []any{in, out} {
		if f, ok := v.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
			return nil
		}
	}
	return &Prompt{in: in, out: out, lines: make(chan string)}
}

// field is one member of an object schema, which a person fills in.
type field struct {
	Name  string
	Title string   `json:"title"`
	Type  string   `json:"type"`
	Enum  []string `json:"enum"`
}

// Ask shows a question and reads a value for each member of its object schema. One choice is the
// consent itself; any other form ends with the question whether to go on. accepted is false where
// the person says no or the input ends. The error is ctx's, or that of a schema that is no object.
func (p *Prompt) Ask(ctx context.Context, message string, schema json.RawMessage) (values map[string]any, accepted bool, err error) {
	fields, err := decodeFields(schema)
	if err != nil {
		return nil, false, err
	}
	p.print(Plain(message) + "\n")
	values = map[string]any{}
	for _, f := range fields {
		v, given, err := p.read(ctx, f)
		if err != nil || len(f.Enum) > 0 && !given {
			return nil, false, err
		}
		if given {
			values[f.Name] = v
		}
	}
	if len(fields) == 1 && len(fields[0].Enum) > 0 {
		return values, true, nil
	}
	v, _, err := p.read(ctx, field{Title: "Go on", Type: "boolean"})
	accepted, _ = v.(bool)
	return values, accepted, err
}

// decodeFields reads the members of an object schema, in the order they are written.
func decodeFields(schema json.RawMessage) (out []field, err error) {
	var object struct {
		Properties json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		return nil, fmt.Errorf("read the form of the question: %w", err)
	}
	if len(object.Properties) == 0 {
		return nil, nil
	}
	members, ok := decodeMembers(object.Properties)
	if !ok {
		return nil, errors.New("read the form of the question: its properties are no object")
	}
	for _, m := range members {
		f := field{Title: m.key}
		if err := json.Unmarshal(m.value, &f); err != nil {
			return nil, fmt.Errorf("read the field %s of the question: %w", m.key, err)
		}
		f.Name = m.key
		out = append(out, f)
	}
	return out, nil
}

// read reads the value of a field. given is false for an empty reply, and for a no to a choice.
func (p *Prompt) read(ctx context.Context, f field) (value any, given bool, err error) {
	hint := ""
	switch {
	case len(f.Enum) > 0:
		for i, choice := range f.Enum {
			p.print(fmt.Sprintf("  %d  %s\n", i+1, Plain(choice)))
		}
		p.print("  n  no\n")
		hint = fmt.Sprintf(" [1-%d, n]", len(f.Enum))
	case f.Type == "boolean":
		hint = " [y, n]"
	}
	for range maxAttempts {
		p.print(Plain(f.Title) + hint + ": ")
		line, err := p.line(ctx)
		if err != nil || line == "" {
			return nil, false, err
		}
		if v, ok := f.parse(line); ok {
			return v, v != nil, nil
		}
		p.print(Plain(strconv.Quote(line)) + " is no reply to this question\n")
	}
	return nil, false, nil
}

// parse reads a reply. The value is nil for a no to a choice.
func (f field) parse(line string) (value any, ok bool) {
	lower := strings.ToLower(line)
	switch {
	case len(f.Enum) > 0:
		if lower == "n" || lower == "no" {
			return nil, true
		}
		i, err := strconv.Atoi(line)
		if err != nil || i < 1 || i > len(f.Enum) {
			return nil, false
		}
		return f.Enum[i-1], true
	case f.Type == "boolean":
		yes := lower == "y" || lower == "yes"
		return yes, yes || lower == "n" || lower == "no"
	case f.Type == "number" || f.Type == "integer":
		n, err := strconv.ParseFloat(line, 64)
		return n, err == nil
	}
	return line, true
}

// line reads a line without its end. It is "" at the end of the input.
func (p *Prompt) line(ctx context.Context) (string, error) {
	p.once.Do(func() {
		go func() {
			defer close(p.lines)
			for in := bufio.NewScanner(p.in); in.Scan(); {
				p.lines <- strings.TrimSpace(in.Text())
			}
		}()
	})
	select {
	case line := <-p.lines:
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (p *Prompt) print(text string) { _, _ = io.WriteString(p.out, text) } // a person who sees nothing does not reply
