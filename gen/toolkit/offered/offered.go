// Package offered is the lists of an MCP server as data: tools, prompts, resources, templates, and what is known of the
// server.
//
// It must not know where they were read, nor what they are read for.
package offered

import (
	"encoding/json"
	"fmt"
)

// Server is everything that a server offers.
//
// A list that is nil is unknown: a file holds tools only, for example. A list that is empty is known to
// have no entry.
type Server struct {
	ProtocolVersion string          `json:"protocolVersion,omitempty"` // that was negotiated; "" is unknown
	Info            json.RawMessage `json:"serverInfo,omitempty"`      // nil is unknown
	Capabilities    json.RawMessage `json:"capabilities,omitempty"`    // nil is unknown
	Instructions    string          `json:"instructions,omitempty"`
	Tools           []Item          `json:"tools,omitzero"`
	Prompts         []Item          `json:"prompts,omitzero"`
	Resources       []Item          `json:"resources,omitzero"`
	Templates       []Item          `json:"resourceTemplates,omitzero"`
}

// Item is one entry of a list.
type Item struct {
	Name string          // the name of a tool or prompt, the URI of a resource, the URI template of a template
	Raw  json.RawMessage // the entry as the server sent it
}

// Describe reads what an answer to initialize or server/discover says of the server.
func Describe(raw json.RawMessage) (s Server, err error) {
	var about struct {
		ProtocolVersion string          `json:"protocolVersion"`
		ServerInfo      json.RawMessage `json:"serverInfo"`
		Capabilities    json.RawMessage `json:"capabilities"`
		Instructions    string          `json:"instructions"`
	}
	if err := json.Unmarshal(raw, &about); err != nil {
		return s, fmt.Errorf("read what the server says of itself: %w", err)
	}
	return Server{ProtocolVersion: about.ProtocolVersion, Info: about.ServerInfo, Capabilities: about.Capabilities, Instructions: about.Instructions}, nil
}

// MarshalJSON returns the entry without its surrounding spaces.
func (i Item) MarshalJSON() ([]byte, error) { return i.Raw, nil }

// Version returns the server's version; "" where it is unknown.
func (s *Server) Version() string { return s.info("version") }

// ServerName returns the name by which the server goes; "" where it is unknown.
func (s *Server) ServerName() string { return s.info("name") }

func (s *Server) info(member string) string {
	var info map[string]any
	if json.Unmarshal(s.Info, &info) != nil {
		return ""
	}
	text, _ := info[member].(string)
	return text
}
