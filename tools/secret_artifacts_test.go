package tools_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestSecretReachesNoPrintAndNoTrace prints and traces a page that has the password in its title, its address and the
// name of a frame, and searches the files behind their encodings.
func TestSecretReachesNoPrintAndNoTrace(t *testing.T) {
	t.Parallel()
	c, home := tooltest.ConnectWithSecret(t, t.TempDir()), tooltest.ServeEcho(t)
	c.Call("navigate", tooltest.Args{"url": home})
	c.Call("form_input", tooltest.Args{"query": "Plain", "value": "{secret:PASSWORD}"})
	c.Call("javascript_tool", tooltest.Args{"code": `const link = document.createElement('a'); link.href = '/?q=' + encodeURIComponent(typed); link.textContent = 'link'; document.body.append(link);
		const frame = document.createElement('iframe'); frame.name = typed; frame.src = '/?f=' + encodeURIComponent(typed); document.body.append(frame); 1`})
	wide := []byte{}
	for _, unit := range utf16.Encode([]rune("hunter2")) {
		wide = binary.BigEndian.AppendUint16(wide, unit)
	}
	print := c.ReadArtifact(tooltest.Links(c.Do("page_pdf", nil))[0].URI)
	for _, form := range []string{"hunter2", string(wide), hex.EncodeToString(wide), strings.ToUpper(hex.EncodeToString(wide))} {
		if strings.Contains(print, form) {
			t.Errorf("the print has %q", form)
		}
	}
	if !strings.HasPrefix(print, "%PDF-") || !strings.Contains(print, "/URI") {
		t.Errorf("this is no print with a link: %.100s", print)
	}
	c.Call("javascript_tool", tooltest.Args{"code": `const reversed = [...typed].reverse().join(''); window.kept = [{reversed}, {upper: typed.toUpperCase().slice(0)},
		{codes: [...typed].map((l) => l.charCodeAt(0)).join(', ')}, {error: new Error('bad password ' + reversed)}]; 1`})
	kept := c.Do("heap_snapshot", nil)
	for _, link := range tooltest.Links(kept) {
		if heap := c.ReadArtifact(link.URI); leakedForms(heap) != nil || !strings.Contains(heap, "[secret:PASSWORD]") {
			at := max(0, strings.Index(heap, "hunter2")-50)
			t.Errorf("the heap snapshot has %q", heap[at:min(len(heap), at+150)])
		}
	}
	for _, link := range tooltest.Links(kept) {
		heap := c.ReadArtifact(link.URI)
		for _, form := range []string{"2retnuh", "HUNTER2", "104, 117, 110, 116"} {
			if at := strings.Index(heap, form); at >= 0 {
				t.Errorf("the heap snapshot has %q", heap[max(0, at-50):min(len(heap), at+100)])
			}
		}
	}
	if kept.IsError {
		t.Error(tooltest.Text(kept))
	}
	for _, text := range tracesOf(t, c) {
		if strings.Contains(text, "hunter2") || !strings.Contains(text, "[secret:PASSWORD]") {
			at := strings.Index(text, "hunter2")
			t.Errorf("the trace has the password: %.300s", text[max(0, at-100):])
		}
	}
}

// tracesOf returns the texts of the traces that a client has recorded.
func tracesOf(t *testing.T, c tooltest.Client) (texts []string) {
	t.Helper()
	for _, link := range tooltest.Links(c.Do("oc_performance_insights", tooltest.Args{"ms": 200, "reload": true})) {
		z, err := gzip.NewReader(bytes.NewReader([]byte(c.ReadArtifact(link.URI))))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if len(texts) == 0 {
		t.Fatal("no trace is linked")
	}
	return texts
}
