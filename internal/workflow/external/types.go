package external

import (
	"encoding/json"
)

// Tool is one tool of an external server. The schemas are JSON objects exactly as the server gave them; OutputSchema is
// nil when there is none.
type Tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations"`
}

// Annotations are what a server claims about a tool; nil where it says nothing. They are hints, not guarantees.
type Annotations struct {
	ReadOnly    *bool `json:"readOnly,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	OpenWorld   *bool `json:"openWorld,omitempty"`
}

// Catalog is what a server offers, sorted by name. Fresh says that this process asked the server; otherwise the catalog
// is the one an earlier process left on disk.
type Catalog struct {
	Alias string
	Tools []Tool
	Fresh bool
}

// Tool finds a tool by name.
func (c Catalog) Tool(name string) (Tool, bool) {
	for _, t := range c.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// Names lists the tools' names.
func (c Catalog) Names() []string {
	names := make([]string, len(c.Tools))
	for i, t := range c.Tools {
		names[i] = t.Name
	}
	return names
}

// Result is what a call gave back. IsError is the tool's own verdict; Content may hold its reasons.
type Result struct {
	Content    []Content
	Structured json.RawMessage // structuredContent, or nil
	IsError    bool
}

// Content types, as in the protocol.
const (
	TypeText         = "text"
	TypeImage        = "image"
	TypeAudio        = "audio"
	TypeResource     = "resource"      // embedded: Text or Data holds it
	TypeResourceLink = "resource_link" // URI says where it is
)

// Content is one item of a result. Text is set for texts and textual resources, Data (decoded) for everything binary.
type Content struct {
	Type string
	Text string
	Data []byte
	MIME string
	URI  string
	Name string
}

// Progress is told how far a call has come; total is 0 when the server does not know.
type Progress = func(done, total float64, message string)
