// Package upstream has the list of another server: its tools with their schemas, as it sends
// them, and the record that a manifest keeps of them.
//
// Packages below it ask servers. This one knows neither how a server is reached
// nor how a manifest is written.
package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Tool is one tool of a server. Schemas and annotations are the bytes that the server sends.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Execution    json.RawMessage `json:"execution,omitempty"`

	Unknown []string `json:"-"` // members of the entry that nothing here reads, sorted
}

// Annotations are the hints of the protocol; nil where the server does not say.
type Annotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Hints reads the annotations. Those that are not what the protocol says are as if they were absent.
func (t *Tool) Hints() Annotations {
	var a Annotations
	if json.Unmarshal(t.Annotations, &a) != nil {
		return Annotations{}
	}
	return a
}

// NeedsTask reports whether the server runs the tool as a task alone, which a forwarded call is not.
func (t *Tool) NeedsTask() bool {
	var e struct {
		TaskSupport string `json:"taskSupport"`
	}
	return json.Unmarshal(t.Execution, &e) == nil && e.TaskSupport == "required"
}

// List is a server's list of tools, under the name and the version that the server states.
type List struct {
	Name    string
	Version string
	Tools   []Tool // sorted by name
	// Effects says how silence about effects was read when the list was imported: "protocol", or "" where
	// the compiler asks.
	Effects string
	// Features are those of instructions, prompts, resources, log messages, completions and tasks that the server
	// offers. Sorted; they are not part of a record.
	Features []string
}

// ErrNoTools says that a document is neither a list of tools nor the result of tools/list.
var ErrNoTools = errors.New(`no list of tools: it is neither an array of tools nor an object with "tools"`)

// Decode reads a list of tools: an array, the result of tools/list, or the whole answer.
func Decode(data []byte) (List, error) {
	var doc struct {
		Result     json.RawMessage `json:"result"`
		Tools      json.RawMessage `json:"tools"`
		ServerInfo struct{ Name, Version string }
	}
	tools := json.RawMessage(bytes.TrimSpace(data))
	if len(tools) > 0 && tools[0] == '{' {
		if err := json.Unmarshal(tools, &doc); err != nil {
			return List{}, err
		}
		if doc.Result != nil {
			return Decode(doc.Result)
		}
		tools = doc.Tools
	}
	if len(tools) == 0 || tools[0] != '[' {
		return List{}, ErrNoTools
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(tools, &entries); err != nil {
		return List{}, err
	}
	out := List{Name: doc.ServerInfo.Name, Version: doc.ServerInfo.Version}
	for i, e := range entries {
		t, err := decodeTool(e)
		if err != nil {
			return List{}, fmt.Errorf("tool %d of the list: %w", i+1, err)
		}
		out.Tools = append(out.Tools, t)
	}
	return out, out.sort()
}

func decodeTool(data []byte) (Tool, error) {
	var t Tool
	if err := json.Unmarshal(data, &t); err != nil {
		return t, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return t, err
	}
	if t.Name == "" {
		return t, errors.New("it has no name")
	}
	if t.InputSchema == nil {
		t.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	known := []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution"}
	for name := range members {
		if !slices.Contains(known, name) {
			t.Unknown = append(t.Unknown, name)
		}
	}
	slices.Sort(t.Unknown)
	for _, raw := range []*json.RawMessage{&t.InputSchema, &t.OutputSchema, &t.Annotations, &t.Execution} {
		if *raw = compact(*raw); string(*raw) == "null" {
			*raw = nil
		}
	}
	return t, nil
}

func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if raw == nil || json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// sort orders the tools by name and refuses two of one name.
func (l *List) sort() error {
	slices.SortStableFunc(l.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(l.Tools); i++ {
		if l.Tools[i].Name == l.Tools[i-1].Name {
			return fmt.Errorf("two tools are called %q", l.Tools[i].Name)
		}
	}
	return nil
}

// Find returns the tool of a name; nil when there is none.
func (l *List) Find(name string) *Tool {
	for i := range l.Tools {
		if l.Tools[i].Name == name {
			return &l.Tools[i]
		}
	}
	return nil
}
