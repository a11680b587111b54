package toolkittest_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

// opening is the sample with a tool whose success makes the fact open true, as a generated registry has it.
func opening() *toolkit.Registry {
	reg := sample()
	open := reg.Tools[0]
	open.Name, open.OutputSchema = "unlock", ""
	open.Definition = `{"name":"unlock","inputSchema":{"type":"object"}}`
	open.Changes = toolkit.Changes{Sets: 1}
	open.Invoke = func(context.Context, *toolkit.Call, grant.Grant, []byte) (toolkit.CallResult, error) {
		return toolkit.Unstructured(toolkit.Text("open"), nil)
	}
	reg.Tools = append(reg.Tools, open)
	slices.SortFunc(reg.Tools, func(a, b toolkit.Tool) int { return strings.Compare(a.Name, b.Name) })
	return reg.Index()
}

// TestStateOverStatelessHTTP lets facts hold for the client that sends back its handle, and for no other.
func TestStateOverStatelessHTTP(t *testing.T) {
	t.Parallel()
	keeps, forgets := toolkittest.New(t, opening(), toolkittest.OverHTTP(true)), toolkittest.New(t, opening(), toolkittest.OverHTTP(false))
	for name, kit := range map[string]*toolkittest.Kit{"keeps": keeps, "forgets": forgets} {
		if got := kit.Call(t, "unlock", nil).Meta[mcpserver.StateName]; got == nil {
			t.Errorf("%s: the result has no handle", name)
		}
	}
	if got := keeps.Call(t, "enter", nil); got.Text != "welcome" || got.Meta[mcpserver.StateName] != nil {
		t.Errorf("%s, and the handle is given again: %v", got.Text, got.Meta)
	}
	forgets.Refuse(t, "enter", nil, toolkit.ToolNotVisible)
	if got := keeps.Facts(t); !slices.Equal(got, []string{"open"}) {
		t.Errorf("facts %v", got)
	}
	for name, handle := range map[string]any{"of nobody": "X", "no text": 7, "empty": ""} {
		_, err := forgets.CallTool(t.Context(), &mcp.CallToolParams{Name: "enter", Meta: mcp.Meta{mcpserver.StateName: handle}})
		if err == nil || !strings.Contains(err.Error(), "handle") {
			t.Errorf("a handle that is %s: %v", name, err)
		}
	}
}
