package tooltest

import (
	"archive/zip"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
)

// Client is the client of a server of the test.
type Client struct {
	*mcp.ClientSession
	T      *testing.T
	Output string // the server's output directory
}

// Args are the arguments of a call.
type Args = map[string]any

// Do calls a tool and returns its result, whatever it is.
func (c Client) Do(tool string, a Args) *mcp.CallToolResult {
	c.T.Helper()
	res, err := c.CallTool(c.T.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		c.T.Fatalf("%s %v: %v", tool, a, err)
	}
	return res
}

// Call calls a tool that must succeed and returns its text.
func (c Client) Call(tool string, a Args) string {
	c.T.Helper()
	res := c.Do(tool, a)
	text := Text(res)
	if res.IsError {
		LogIfLate(c.T, text)
		c.T.Fatalf("%s %v was refused: %s", tool, a, text)
	}
	return text
}

// Expect calls a tool whose text must contain each of want.
func (c Client) Expect(tool string, a Args, want ...string) string {
	c.T.Helper()
	text := c.Call(tool, a)
	for _, w := range want {
		if !strings.Contains(text, w) {
			c.T.Errorf("%s %v says %q, which lacks %q", tool, a, text, w)
		}
	}
	return text
}

// Envelope returns the object with the code of a refusal, which is in _meta where the tool's list entry has a schema.
func Envelope(res *mcp.CallToolResult) any {
	if res.StructuredContent == nil && res.IsError {
		return res.Meta[toolkit.MetaRefusal]
	}
	return res.StructuredContent
}

// ExpectRefusal calls a tool that must be refused with the code, and returns the envelope.
func (c Client) ExpectRefusal(code, tool string, a Args, want ...string) map[string]any {
	c.T.Helper()
	res := c.Do(tool, a)
	envelope, _ := Envelope(res).(map[string]any)
	if !res.IsError || envelope["code"] != code || envelope["tool"] != tool {
		c.T.Fatalf("%s %v gives %s, envelope %v; want code %s", tool, a, Text(res), envelope, code)
	}
	text, err := json.Marshal(envelope)
	if err != nil {
		c.T.Fatal(err)
	}
	if err := codes.Table().Check(text); err != nil {
		c.T.Errorf("%s %v is refused with %s: %v", tool, a, text, err)
	}
	for _, w := range want {
		if !strings.Contains(string(text), w) {
			c.T.Errorf("%s %v is refused with %s, which lacks %q", tool, a, text, w)
		}
	}
	return envelope
}

// ExpectScript evaluates code in the page; the text must contain want.
func (c Client) ExpectScript(code, want string) {
	c.T.Helper()
	c.Expect("javascript_tool", Args{"code": code}, want)
}

// ReadArtifact reads a resource over MCP.
func (c Client) ReadArtifact(uri string) string {
	c.T.Helper()
	res, err := c.ReadResource(c.T.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil || len(res.Contents) != 1 {
		c.T.Fatalf("read %s: %v, %v", uri, res, err)
	}
	return res.Contents[0].Text + string(res.Contents[0].Blob)
}

// EvidenceBundle calls oc_evidence_bundle and opens the archive.
func (c Client) EvidenceBundle(a Args) (map[string]string, map[string]any) {
	c.T.Helper()
	res := c.Do(toolset.ToolOcEvidenceBundle, a)
	answer, _ := res.StructuredContent.(map[string]any)
	uri, _ := answer["bundle"].(string)
	if res.IsError || uri == "" {
		c.T.Fatalf("%v: %s", a, Text(res))
	}
	data := c.ReadArtifact(uri)
	archive, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
	if err != nil {
		c.T.Fatal(err)
	}
	parts := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			c.T.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			c.T.Fatal(err)
		}
		parts[f.Name] = string(text)
	}
	return parts, answer
}

// Params returns the request of a call.
func Params(tool string, a Args) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: tool, Arguments: a}
}
