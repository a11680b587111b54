package mcpserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

// TestMirroredParameters holds the header of a parameter against the argument, also where the tool came
// with an update.
func TestMirroredParameters(t *testing.T) {
	tool := func(name string) toolkit.Tool {
		out := extra(name)
		out.Definition = `{"name":"` + name + `","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}`
		out.Invoke, out.Timeout = newBench().registry(0).Tools[0].Invoke, 10e9
		return out
	}
	reg, err := newBench().registry(0).With(toolkit.Capability{Name: "core"}, "default", []toolkit.Tool{tool("first")})
	if err != nil {
		t.Fatal(err)
	}
	surface, err := toolkit.NewSurface(reg, toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	url := listen(t, mcpserver.New(surface, mcpserver.Options{Name: "sample", Version: "1"}), mcpserver.HTTPOptions{})
	next, err := reg.Replace("late", []toolkit.Tool{tool("first"), tool("second")})
	if err != nil {
		t.Fatal(err)
	}
	if err := surface.Update(next); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first", "second"} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":{"region":"Zürich"},` + modernMeta + `}}`
		for header, status := range map[string]int{"=?base64?WsO8cmljaA==?=": 200, "=?base64?QmVybg==?=": 400, "=?base64?WsO8!!?=": 400, "": 400} {
			h := with(streaming, headers{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name})
			if header != "" {
				h["Mcp-Param-Region"] = header
			}
			res, text := do(t, http.MethodPost, url, body, h)
			if res.StatusCode != status || status == 400 && !strings.Contains(text, "-32020") {
				t.Errorf("%s with the header %q: %d %s, want %d", name, header, res.StatusCode, text, status)
			}
		}
	}
	official := toolkittest.Dial(t, toolkittest.HTTP(url, ""), nil, toolkittest.Revision(toolkittest.Stateless))
	official.Listed(t)
	official.Call(t, "second", toolkittest.Args{"region": "Zürich"}) // which sends the header
}
