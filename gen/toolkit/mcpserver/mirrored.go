package mcpserver

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// registerMirrored tells the SDK which tools have parameters that clients repeat in HTTP headers
// (x-mcp-header in their schema), so that it holds the headers against the arguments. It knows no other
// tools, because it answers nothing about them.
func (s *Server) registerMirrored() {
	for _, t := range s.surface.AllowedTools() {
		if !strings.Contains(t.Definition, `"x-mcp-header"`) {
			continue
		}
		var definition struct {
			Schema json.RawMessage `json:"inputSchema"`
		}
		var root struct{ Type string }
		err := json.Unmarshal([]byte(t.Definition), &definition)
		if err == nil {
			err = json.Unmarshal(definition.Schema, &root)
		}
		if err != nil || root.Type != "object" { // the SDK panics
			s.log.Error("headers of a tool are not checked: its schema is none of an object", "tool", t.Name, "error", err)
			continue
		}
		s.sdk.AddTool(&mcp.Tool{Name: t.Name, InputSchema: definition.Schema}, nil)
	}
}
