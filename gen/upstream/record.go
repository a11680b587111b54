package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit/textdiff"
)

// recordVersion is the version of the record's form.
const recordVersion = 1

type record struct {
	Version int    `json:"version"`
	Server  server `json:"server"`
	Effects string `json:"effects,omitempty"`
	Tools   []Tool `json:"tools"`
}

type server struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// Record is the list as a manifest keeps it: indented JSON, ending in a newline.
func (l *List) Record() []byte {
	tools := l.Tools
	if tools == nil {
		tools = []Tool{}
	}
	return indent(record{recordVersion, server{l.Name, l.Version}, l.Effects, tools})
}

// ReadRecord reads the text that Record wrote.
func ReadRecord(data []byte) (List, error) {
	var r struct {
		Version int               `json:"version"`
		Server  server            `json:"server"`
		Effects string            `json:"effects"`
		Tools   []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return List{}, err
	}
	if r.Version != recordVersion {
		return List{}, fmt.Errorf("version %d is not one this compiler reads; it reads version %d", r.Version, recordVersion)
	}
	out := List{Name: r.Server.Name, Version: r.Server.Version, Effects: r.Effects}
	for i, data := range r.Tools {
		t, err := decodeTool(data)
		if err != nil {
			return List{}, fmt.Errorf("tool %d: %w", i+1, err)
		}
		out.Tools = append(out.Tools, t)
	}
	return out, out.sort()
}

func indent(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("encode a record: %v", err)) //nolint:forbidigo // raw members were decoded, so they are JSON
	}
	return b.Bytes()
}

// Change is a tool that a server offers otherwise than it is recorded.
type Change struct {
	Name string
	Kind ChangeKind
	Diff string // hunks of a unified diff of the two entries as JSON; "" unless Kind is Changed
}

// ChangeKind is the kind of difference between two versions of a tool.
type ChangeKind string

// The kinds of changes.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
)

// String says the change in one line, with the diff below it.
func (c Change) String() string {
	switch c.Kind {
	case Added:
		return fmt.Sprintf("tool %q is new", c.Name)
	case Removed:
		return fmt.Sprintf("tool %q is gone", c.Name)
	}
	return fmt.Sprintf("tool %q has changed:\n%s", c.Name, c.Diff)
}

// Compare lists the tools that differ, by name. The order of members and the spelling of JSON do not
// count.
func Compare(was, now List) []Change {
	var out []Change
	for i, j := 0, 0; i < len(was.Tools) || j < len(now.Tools); {
		switch {
		case j == len(now.Tools) || i < len(was.Tools) && was.Tools[i].Name < now.Tools[j].Name:
			out = append(out, Change{Name: was.Tools[i].Name, Kind: Removed})
			i++
		case i == len(was.Tools) || was.Tools[i].Name > now.Tools[j].Name:
			out = append(out, Change{Name: now.Tools[j].Name, Kind: Added})
			j++
		default:
			if a, b := canonical(&was.Tools[i]), canonical(&now.Tools[j]); a != b {
				out = append(out, Change{Name: was.Tools[i].Name, Kind: Changed, Diff: textdiff.Excerpt(a, b, 40, 160)})
			}
			i++
			j++
		}
	}
	return out
}

// canonical is a tool as indented JSON with sorted members.
func canonical(t *Tool) string {
	data, err := json.Marshal(t)
	if err != nil {
		return err.Error()
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return string(data)
	}
	return string(indent(v))
}
