// Package plain reads the text of files that pages give: of PDFs, and of whatever is text already.
//
// The files are of strangers: what is read is bounded in size and time, and a file that misleads the reader has no
// text. It must not know where a file comes from, nor how its text is shown.
package plain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"

	"github.com/callsheet/callsheet/internal/text"
)

const (
	// maxPDFBytes is the size of the largest PDF that is read.
	maxPDFBytes = 20 << 20
	// maxTime bounds the reading of a PDF.
	maxTime = 3 * time.Second
)

// reading has room for one PDF: a file that keeps the reader busy beyond maxTime costs the process one goroutine.
var reading = make(chan struct{}, 1)

// ErrNoText says that a file has no text.
var ErrNoText = errors.New("the file has no text")

// Text returns the first limit bytes of the text of a file, and whether there is more. The error is ErrNoText for a
// type without text and for pages that are pictures.
func Text(ctx context.Context, f io.ReaderAt, size int64, limit int) (out string, more bool, err error) {
	head := make([]byte, min(size, int64(4*limit+1)))
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	isCut := int64(len(head)) < size
	if bytes.HasPrefix(head, []byte("%PDF-")) {
		isCut = false
		out, err = textOfPDF(ctx, f, size, limit)
	} else {
		out = decode(head, isCut)
	}
	if out = strings.TrimSpace(out); out == "" && err == nil {
		err = ErrNoText
	}
	return text.ClipBytes(out, limit), isCut || len(out) > limit, err
}

// decode returns a file's first bytes as text; "" where they are none.
func decode(head []byte, isCut bool) string {
	if order := bytes.HasPrefix(head, []byte{0xff, 0xfe}); order || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		units := make([]uint16, 0, len(head)/2)
		for i := 2; i+1 < len(head); i += 2 {
			low, high := head[i], head[i+1]
			if !order {
				low, high = high, low
			}
			units = append(units, uint16(low)|uint16(high)<<8)
		}
		return string(utf16.Decode(units))
	}
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	for n := 0; isCut && n < utf8.UTFMax-1 && len(head) > 0 && !utf8.Valid(head); n++ {
		head = head[:len(head)-1] // the cut may go through a character
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return ""
	}
	if utf8.Valid(head) {
		return string(head)
	}
	latin := make([]rune, len(head))
	for i, b := range head {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != '\f' {
			return ""
		}
		latin[i] = rune(b)
	}
	return string(latin)
}

// textOfPDF returns the text of the first pages of a PDF, until it has more than limit bytes.
func textOfPDF(ctx context.Context, f io.ReaderAt, size int64, limit int) (string, error) {
	if size > maxPDFBytes {
		return "", fmt.Errorf("the PDF has more than %d MB", maxPDFBytes>>20)
	}
	data := make([]byte, size) // the caller closes its file, and a reading may outlast the call
	if _, err := f.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	select {
	case reading <- struct{}{}:
	case <-ctx.Done():
		return "", errors.New("another PDF is being read")
	}
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-reading }()
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("the PDF cannot be read: %v", p)
			}
			done <- r
		}()
		r.text, r.err = readPages(ctx, data, limit)
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", fmt.Errorf("the PDF was not read within %v", maxTime)
	}
}

func readPages(ctx context.Context, data []byte, limit int) (string, error) {
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", fmt.Errorf("the PDF cannot be read: %w", err)
	}
	var b strings.Builder
	for n := 1; n <= r.NumPage() && b.Len() <= limit && ctx.Err() == nil; n++ {
		page := r.Page(n)
		if page.V.IsNull() {
			continue
		}
		text, err := page.GetPlainText(nil)
		if err != nil {
			return b.String(), fmt.Errorf("page %d of the PDF cannot be read: %w", n, err)
		}
		if text = strings.TrimSpace(text); text != "" && b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
	}
	return strings.ToValidUTF8(b.String(), "\ufffd"), nil
}
