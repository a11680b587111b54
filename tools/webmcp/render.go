package webmcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/browser"
	engine "github.com/callsheet/callsheet/internal/engine/webmcp"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
	"github.com/callsheet/callsheet/internal/webmcp/offer"
)

// Limits of an answer, in bytes.
const (
	maxListBytes   = 20_000
	maxOutputBytes = 20_000
)

// renderList describes the tools of a page: what the server says of each on a line, and the words of the page
// in a fence.
func renderList(tab *browser.Tab, tools []offer.Tool, omitted int) string {
	if len(tools) == 0 {
		out := fmt.Sprintf("the page of tab %s offers no tools", tab.ID())
		if omitted > 0 {
			out += fmt.Sprintf("; %d are left out, because their document has no origin or they are too large", omitted)
		}
		return out
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools of the page of tab %s", len(tools), tab.ID())
	left := omitted
	for i, t := range tools {
		one := renderTool(t)
		if b.Len()+len(one) > maxListBytes {
			left += len(tools) - i
			break
		}
		b.WriteString("\n\n" + one)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n\n%d more are left out", left)
	}
	return b.String()
}

func renderTool(t offer.Tool) string {
	head := "handle " + t.Handle + " from " + fence.Line(t.Origin)
	if t.Entry != "" {
		head += ", listed as " + t.Entry
	}
	if t.Declarative && !t.Annotations.Autosubmit {
		head += ", a form that somebody must submit"
	}
	if t.Problem != "" {
		return head + "\ncannot be called: " + t.Problem
	}
	return head + "\n" + result.Quote(t.Description()+"\nSchema: "+string(t.Schema()))
}

// renderResult is the answer of the page as data.
func renderResult(t offer.Tool, out engine.Result) string {
	if out.Document != "" {
		return fmt.Sprintf("the tool %s led to another document before it answered: %s", t.Handle, text.ClipBytes(fence.Line(out.Document), 500))
	}
	said := outputText(out.Output)
	if cut := len(said) - maxOutputBytes; cut > 0 {
		said = text.ClipBytes(said, maxOutputBytes) + fmt.Sprintf("\n[cut: %d bytes left out]", cut)
	}
	return "the page answers:\n" + result.Quote(said)
}

// outputText returns what a tool has returned as a text: a text, the texts of content as MCP has it, or JSON.
func outputText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var mcp struct{ Content []struct{ Type, Text string } }
	if json.Unmarshal(raw, &mcp) == nil && len(mcp.Content) > 0 {
		var texts []string
		for _, c := range mcp.Content {
			if c.Type != "text" {
				return string(raw)
			}
			texts = append(texts, c.Text)
		}
		return joinLines(texts)
	}
	return string(raw)
}

func joinLines(lines []string) string { return strings.Join(lines, "\n") }
