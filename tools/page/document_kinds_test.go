package page_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// pdfOf makes a PDF of one page with a text.
func pdfOf(text string) string {
	content := "BT /F1 24 Tf 20 100 Td (" + text + ") Tj ET"
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	table := "0000000000 65535 f \n"
	for i, object := range []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	} {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 6\n%strailer<</Root 1 0 R/Size 6>>\nstartxref\n%d\n%%%%EOF", table, start)
	return b.String()
}

// A document that is no HTML says what it is and which tool has more of it.
func TestDocumentsOfOtherTypes(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	home, _ := tooltest.ServeTabSite(t)
	c.Call("navigate", tooltest.Args{"url": home + "/paper.pdf"})
	c.Expect("read_page", nil, "[a PDF document: page_pdf has the file and its text, page_screenshot shows a page of it]")
	file := tooltest.Links(c.Do("page_pdf", nil))
	if len(file) != 1 || !strings.HasPrefix(c.ReadArtifact(file[0].URI), "%PDF-1.1") {
		t.Errorf("the file of the PDF is %v", file)
	}
	c.Call("navigate", tooltest.Args{"url": "data:application/pdf;base64," + base64.StdEncoding.EncodeToString([]byte(pdfOf("Hello PDF")))})
	c.Expect("page_pdf", nil, "the document's own file, not printed", ">\nHello PDF\n</page ")
	c.Call("navigate", tooltest.Args{"url": home + "/picture.svg"})
	c.Expect("read_page", nil, "[a picture, image/svg+xml: page_screenshot shows it]")
	c.Call("navigate", tooltest.Args{"url": "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"})
	c.Expect("read_page", nil, "[a picture, image/gif: page_screenshot shows it]")
	const order = "<orders><order id=\"7\"><name>Lamp</name></order></orders>"
	c.Call("navigate", tooltest.Args{"url": "data:application/xml," + order})
	c.Expect("read_page", nil, "<name>Lamp</name>", "[an XML document, application/xml: page_content has its source]")
	if source := tooltest.Unfenced(c.Call("page_content", nil)); source != order {
		t.Errorf("the source of the XML document is %s", source)
	}
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<p>Before<iframe src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'></iframe>"})
	if text := c.Expect("read_page", nil, "(a document of type image/gif)"); strings.Contains(text, "[a picture") {
		t.Errorf("the page around a picture reads\n%s", text)
	}
}
