package page_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestPDF(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/tall"})
	res := c.Do("page_pdf", nil)
	links := tooltest.Links(res)
	if len(links) != 1 || links[0].MIMEType != "application/pdf" || !strings.HasPrefix(c.ReadArtifact(links[0].URI), "%PDF-") {
		t.Fatalf("%s, %v", tooltest.Text(res), links)
	}
	whole := tooltest.Text(res)
	if !strings.Contains(whole, "printed ") || strings.Contains(whole, "printed 1 pages") {
		t.Errorf("a page of 6000 px prints as %s", whole)
	}
	c.Expect("page_pdf", tooltest.Args{"pageRanges": "1-2"}, "printed 2 pages")
	c.Expect("page_pdf", tooltest.Args{"path": "out/a.pdf", "landscape": true, "margin": "1in 2cm", "format": "A3", "headerFooter": true, "scale": 0.5}, "a.pdf")
	data, err := os.ReadFile(filepath.Join(c.Output, "out", "a.pdf"))
	if err != nil || !bytes.HasPrefix(data, []byte("%PDF-")) || !bytes.Contains(data, []byte("MediaBox [0 0 1190")) && !bytes.Contains(data, []byte("MediaBox [0 0 1191")) {
		t.Errorf("the file: %d bytes, %v", len(data), err)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_pdf", tooltest.Args{"margin": "wide"}, "/margin")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_pdf", tooltest.Args{"scale": 3}, "/scale")
	c.ExpectRefusal("POLICY_DENIED", "page_pdf", tooltest.Args{"path": "../a.pdf"})
	c.ExpectRefusal("FAILED", "page_pdf", tooltest.Args{"pageRanges": "900-901"})
}

// The answer has the text of the printed page, fenced and bounded; a page of pictures has none.
func TestPDFSaysItsText(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<meta charset=utf-8><h1>Invoice 4711</h1><p>Dear Ms Müller, the total is € 1,234.50.<table><tr><td>Widget<td>30.00</table>"})
	c.Expect("page_pdf", nil, "printed 1 pages", ">\nInvoice 4711\nDear Ms Müller, the total is € 1,234.50.\nWidget\n30.00\n</page ")
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<p style='page-break-after:always'>First page<p>Second </page> page"})
	c.Expect("page_pdf", nil, "printed 2 pages", "First page\n\nSecond")
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<script>document.write('<p>' + 'many words '.repeat(3000))</script>"})
	if got := c.Expect("page_pdf", nil, "many words", "[cut; the resource has the whole]"); len(got) > 5000 {
		t.Errorf("the answer has %d bytes", len(got))
	}
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<svg width=50 height=50><rect width=50 height=50 /></svg>"})
	if got := c.Call("page_pdf", nil); strings.Contains(got, "<page") {
		t.Errorf("a picture has the text %s", got)
	}
}
