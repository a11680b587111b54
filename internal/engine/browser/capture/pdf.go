package capture

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/io"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
)

const (
	// maxPDFBytes bounds a PDF, which is in memory as a whole.
	maxPDFBytes = 200 << 20
	// pdfChunkBytes is the size of one read from the browser's stream.
	pdfChunkBytes = 1 << 20
)

// PDFOptions say how to print. Lengths are in inches.
type PDFOptions struct {
	Width, Height float64
	Landscape     bool
	Background    bool    // print background colors and images
	Scale         float64 // 0 means 1
	// Top, Right, Bottom and Left are the margins.
	Top, Right, Bottom, Left float64
	Ranges                   string // such as "1-3, 5"; "" means all pages
	// HeaderFooter prints the title and date above each page, the address and page number below.
	HeaderFooter bool
	// Header and Footer are HTML for these places instead; "" is the browser's own.
	Header, Footer string
}

// PDF prints the page, with and without windows. A PDF document is not printed: isFile says that data is its own
// file.
func PDF(ctx context.Context, t Tab, o PDFOptions) (data []byte, isFile bool, err error) {
	params := cdppage.PrintToPDFParams{
		Landscape: &o.Landscape, DisplayHeaderFooter: &o.HeaderFooter, PrintBackground: &o.Background, Scale: o.Scale,
		PaperWidth: o.Width, PaperHeight: o.Height,
		MarginTop: &o.Top, MarginRight: &o.Right, MarginBottom: &o.Bottom, MarginLeft: &o.Left,
		HeaderTemplate: o.Header, FooterTemplate: o.Footer,
		PageRanges: o.Ranges, TransferMode: cdppage.PrintToPDFTransferModeReturnAsStream,
	}
	var printed bytes.Buffer
	err = t.Do(ctx, func(ctx context.Context, p *page.Page) error {
		if data = documentFile(ctx, p); data != nil {
			return nil
		}
		s, err := t.Protocol(ctx)
		if err != nil {
			return err
		}
		c := capture{tab: t, page: p, session: s}
		reveal, err := c.conceal(ctx, nil)
		if err != nil {
			return err
		}
		defer reveal()
		res, err := protocol.CallWhenActive(ctx, s, cdppage.PrintToPDF, params)
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
		defer func() {
			_ = protocol.Exec(context.WithoutCancel(ctx), s, io.Close, io.CloseParams{Handle: res.Stream})
		}()
		return readStream(ctx, s, res.Stream, &printed)
	})
	if data != nil {
		return data, true, err
	}
	return blank(printed.Bytes(), t.Concealed()), false, err
}

// blank covers the values where they stand in the title and in the addresses of a print. The print
// keeps its length, and so its table of places.
func blank(print []byte, values []string) []byte {
	for from := 0; ; {
		begin, end := bytes.Index(print[from:], []byte("stream")), len(print)-from
		if begin >= 0 {
			end = begin
		}
		blankPart(print[from:from+end], values)
		if begin < 0 {
			return print
		}
		from += begin + len("stream")
		if over := bytes.Index(print[from:], []byte("endstream")); over >= 0 {
			from += over + len("endstream")
		}
	}
}

// blankPart covers the values in a part of a print that is not compressed.
func blankPart(part []byte, values []string) {
	escape := strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`)
	for _, value := range values {
		var wide []byte
		for _, unit := range utf16.Encode([]rune(value)) {
			wide = binary.BigEndian.AppendUint16(wide, unit)
		}
		for _, at := range []string{value, escape.Replace(value), string(wide), escape.Replace(string(wide)), fmt.Sprintf("%x", wide), fmt.Sprintf("%X", wide)} {
			copy(part, bytes.ReplaceAll(part, []byte(at), bytes.Repeat([]byte("0"), len(at))))
		}
	}
}

// documentFile returns the file of a page that is a PDF document; nil of others, and where it cannot be had.
func documentFile(ctx context.Context, p *page.Page) []byte {
	var file struct {
		Data []byte `json:"data"`
	}
	if err := p.Document.Evaluate(ctx, "documentFile", map[string]any{"limit": maxPDFBytes / 8}, &file); err != nil || len(file.Data) == 0 {
		return nil
	}
	return file.Data
}

// readStream reads a stream of the browser to its end.
func readStream(ctx context.Context, s cdp.Session, stream io.StreamHandle, into *bytes.Buffer) error {
	for {
		part, err := cdp.Call(ctx, s, io.Read, io.ReadParams{Handle: stream, Size: pdfChunkBytes})
		if err != nil {
			return fmt.Errorf("read the print: %w", err)
		}
		if into.Write(part.Data); into.Len() > maxPDFBytes {
			return fault.New(codes.Failed, fmt.Sprintf("the print is larger than %d bytes; ask for fewer pages", maxPDFBytes))
		}
		if part.EOF {
			return nil
		}
	}
}
