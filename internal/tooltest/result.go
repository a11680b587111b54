package tooltest

import (
	"bytes"
	"image"
	_ "image/jpeg" // Picture decodes it
	_ "image/png"  // Picture decodes it
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Text joins the texts of a result.
func Text(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// Ref returns the ref of the first element of a reading whose line contains want.
func Ref(t *testing.T, reading, want string) string {
	t.Helper()
	for line := range strings.Lines(reading) {
		if strings.Contains(line, want) {
			if _, rest, ok := strings.Cut(line, "[e"); ok {
				number, _, _ := strings.Cut(rest, "]")
				return "e" + number
			}
		}
	}
	t.Fatalf("no ref for %s in\n%s", want, reading)
	return ""
}

// Links returns the links to artifacts of a result.
func Links(res *mcp.CallToolResult) (links []*mcp.ResourceLink) {
	for _, content := range res.Content {
		if l, ok := content.(*mcp.ResourceLink); ok {
			links = append(links, l)
		}
	}
	return links
}

// TabID returns the tab id at the start of a navigation's report.
func TabID(report string) string {
	id, _, _ := strings.Cut(report, " ")
	return id
}

// Picture decodes the image of this MIME type in a result.
func Picture(t *testing.T, res *mcp.CallToolResult, mime string) image.Image {
	t.Helper()
	for _, content := range res.Content {
		if i, ok := content.(*mcp.ImageContent); ok && i.MIMEType == mime {
			img, _, err := image.Decode(bytes.NewReader(i.Data))
			if err != nil {
				t.Fatal(err)
			}
			return img
		}
	}
	t.Fatalf("no %s in %s", mime, Text(res))
	return nil
}

// RecordingID returns the id of a recording in a text.
func RecordingID(t *testing.T, text string) string {
	t.Helper()
	at := strings.Index(text, "rec-")
	if at < 0 {
		t.Fatalf("no id in %q", text)
	}
	return strings.TrimRight(strings.Fields(text[at:])[0], ",")
}

// Unfenced returns the text that a result has between the tags of its only fence.
func Unfenced(text string) string {
	_, inside, _ := strings.Cut(text, ">\n")
	if at := strings.LastIndex(inside, "\n</page "); at >= 0 {
		return inside[:at]
	}
	return inside
}
