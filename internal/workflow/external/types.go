package external

import (
	"encoding/json"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Tool is one tool of an external server. The schemas are JSON objects as the server sent them;
// OutputSchema is nil if it has none.
type Tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations"`
}

// Annotations are the server's hints about a tool; nil where the server sends none. They are not
// guarantees.
type Annotations struct {
	ReadOnly    *bool `json:"readOnly,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	OpenWorld   *bool `json:"openWorld,omitempty"`
}

// Catalog lists the tools of a server, sorted by name. Fresh is set if this process fetched them;
// otherwise an earlier process stored them.
type Catalog struct {
	Alias string
	Tools []Tool
	Fresh bool
}

// Tool returns the tool of a name.
func (c Catalog) Tool(name string) (Tool, bool) {
	for _, t := range c.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// Names lists the names of the tools.
func (c Catalog) Names() []string {
	return slicesx.List(c.Tools, func(t Tool) string { return t.Name })
}

// Result is the result of a call. IsError is set by the tool; Content then has its message.
type Result struct {
	Content    []Content
	Structured json.RawMessage // structuredContent, or nil
	IsError    bool
}

// Content types of the protocol.
const (
	TypeText         = "text"
	TypeImage        = "image"
	TypeAudio        = "audio"
	TypeResource     = "resource"      // embedded in Text or Data
	TypeResourceLink = "resource_link" // available at URI
)

// Content is one content item of a result. Text is set for texts and textual resources, Data
// (decoded) for binary content.
type Content struct {
	Type string
	Text string
	Data []byte
	MIME string
	URI  string
	Name string
}

// Progress receives the progress of a call; total is 0 if the server does not know it.
type Progress = func(done, total float64, message string)
