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
