package browser

import (
	"bytes"
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/io"
	cdppage "github.com/chromedp/cdproto/page"
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
}

// PDF prints the page. It works with and without windows.
func (t *Tab) PDF(ctx context.Context, o PDFOptions) ([]byte, error) {
	params := cdppage.PrintToPDFParams{
		Landscape: &o.Landscape, DisplayHeaderFooter: &o.HeaderFooter, PrintBackground: &o.Background, Scale: o.Scale,
		PaperWidth: o.Width, PaperHeight: o.Height,
		MarginTop: &o.Top, MarginRight: &o.Right, MarginBottom: &o.Bottom, MarginLeft: &o.Left,
		PageRanges: o.Ranges, TransferMode: cdppage.PrintToPDFTransferModeReturnAsStream,
	}
	var data bytes.Buffer
	err := t.do(ctx, nil, func(ctx context.Context) error {
		reveal, err := t.conceal(ctx, nil)
		if err != nil {
			return err
		}
		defer reveal()
		res, err := cdp.Call(ctx, t.cdp, cdppage.PrintToPDF, params)
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
		defer func() { _ = call(context.WithoutCancel(ctx), t.cdp, io.Close, io.CloseParams{Handle: res.Stream}) }()
		return t.readStream(ctx, res.Stream, &data)
	})
	return data.Bytes(), err
}

// readStream reads a stream of the browser to its end.
func (t *Tab) readStream(ctx context.Context, stream io.StreamHandle, into *bytes.Buffer) error {
	for {
		part, err := cdp.Call(ctx, t.cdp, io.Read, io.ReadParams{Handle: stream, Size: pdfChunkBytes})
		if err != nil {
			return fmt.Errorf("read the print: %w", err)
		}
		if into.Write(part.Data); into.Len() > maxPDFBytes {
			return fmt.Errorf("the print is larger than %d bytes; ask for fewer pages", maxPDFBytes)
		}
		if part.EOF {
			return nil
		}
	}
}
