package result

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/session"
	clip "github.com/callsheet/callsheet/internal/text"
)

// maxRead bounds the page that an action's result has at the end, in bytes; maxDiff the changes;
// maxBrief the page that it has unasked.
const (
	maxRead  = 16000
	maxDiff  = 4000
	maxBrief = 2800
)

// maxAddress and maxTitle bound the first line of a reading, in bytes.
const (
	maxAddress = 2000
	maxTitle   = 500
)

// QuoteReading renders a reading: the text between <page> tags, after its address and title if
// wanted, and then the notes.
func QuoteReading(r read.Reading, withAddress bool) string {
	text := r.Text
	if r.Unchanged {
		text = "no change since the last reading\n"
	}
	if withAddress {
		text = fmt.Sprintf("%s %q\n%s", clip.ClipBytes(r.URL, maxAddress), clip.ClipBytes(r.Title, maxTitle), text)
	}
	return Quote(text) + ReadingNotes(r)
}

// ReadingNotes says what a reader must know of a reading: that it is a diff, or none, what was left
// out, and how it continues.
func ReadingNotes(r read.Reading) string {
	var b strings.Builder
	switch {
	case r.NoDiff != "":
		fmt.Fprintf(&b, "\n[not a diff: %s]", r.NoDiff)
	case r.IsDiff && !r.Unchanged:
		b.WriteString("\n[+ came, - left since the last reading]")
	}
	if r.Empty {
		b.WriteString("\n[the document is empty: it has no root element]")
	}
	b.WriteString(documentNote(r.ContentType))
	if r.Loading {
		b.WriteString("\n[still loading: the page shows no control yet and is about to change]")
	}
	if r.DocumentCut > 0 {
		b.WriteString("\n[" + CutDocument(r.DocumentCut) + "]")
	}
	if r.Part != nil {
		fmt.Fprintf(&b, "\n[only %s of the page; %s reads all]", Element(*r.Part), toolset.ToolReadPage)
	}
	if r.Hidden != nil {
		fmt.Fprintf(&b, "\n[%d characters in %d places cannot be seen and are left out]", r.Hidden.Characters, r.Hidden.Places)
	}
	if r.Truncated {
		fmt.Fprintf(&b, "\n[cut, %s left; cursor %q continues]", size(r.Left), r.Next)
	}
	return b.String()
}

// CutDocument says that the load of a document was stopped after so many bytes.
func CutDocument(n int64) string {
	return fmt.Sprintf("a document here is larger than %d MB and was cut there: find and read_page work on what came; --max-document of the server lets more in", n/1e6)
}

// documentNote says what a document is that is no HTML, and which tool has more of it; "" for others.
func documentNote(contentType string) string {
	switch {
	case contentType == "application/pdf":
		return fmt.Sprintf("\n[a PDF document: %s has the file and its text, %s shows a page of it]", toolset.ToolPagePDF, toolset.ToolPageScreenshot)
	case strings.HasPrefix(contentType, "image/"):
		return fmt.Sprintf("\n[a picture, %s: %s shows it]", contentType, toolset.ToolPageScreenshot)
	case strings.HasSuffix(contentType, "/xml") || strings.HasSuffix(contentType, "+xml"):
		return fmt.Sprintf("\n[an XML document, %s: %s has its source]", contentType, toolset.ToolPageContent)
	}
	return ""
}

// size writes a number of bytes: 900 bytes, 12 kB.
func size(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d kB", (n+500)/1000)
}

// brief is the reading of a page that an action has navigated to, where the call asks for none.
const brief = "brief"

// Unasked returns the parameter then of a call, or the brief reading where it has none and has navigated.
func Unasked(then string, navigated bool) string {
	if then == "" && navigated {
		return brief
	}
	return then
}

// Then reads the page after an action, as the parameter then asks: "diff" reads the changes since the
// last reading, "read" the page, anything else nothing. Why the page cannot be read is text too, because the action was done.
func Then(ctx context.Context, call *toolkit.Call, sessions session.Lookup, tabID toolkit.Opt[string], then string) string {
	o := read.Options{MaxBytes: maxRead}
	switch {
	case then == "diff":
		o.Diff, o.MaxBytes = true, maxDiff
	case then == brief:
		o.MainPart, o.MaxBytes = true, maxBrief
	case then != "read":
		return ""
	}
	var r read.Reading
	err := sessions.Do(ctx, call, tabID, func(ctx context.Context, p *page.Page) (err error) {
		r, err = p.ReadLoaded(ctx, o)
		return err
	})
	if o.MainPart && (err != nil || r.Text == "") {
		return ""
	}
	if err != nil {
		var refusal *toolkit.Refusal
		if errors.As(Refusal(call, err), &refusal) {
			return "\nthe page was not read: " + refusal.Message
		}
		return "\nthe page was not read: " + err.Error()
	}
	return "\n" + QuoteReading(r, false)
}
