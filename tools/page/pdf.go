package page

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// defaultMargin is that of browsers, one centimetre, in inches.
const defaultMargin = 1 / 2.54

// PagePDF prints the page.
func (t *Tools) PagePDF(ctx context.Context, call *toolkit.Call, in pageapi.PagePDFParams, powers pageapi.PagePDFPowers) (toolkit.Result, error) {
	o, err := pdfOptions(in)
	if err != nil {
		return toolkit.Result{}, err
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	data, isFile, err := capture.PDF(ctx, tab, o)
	if err != nil {
		return toolkit.Result{}, err
	}
	text := "printed"
	if n := pdfPages(data); n > 0 {
		text = fmt.Sprintf("printed %d pages", n)
	}
	if isFile {
		text = "the document's own file, not printed"
	}
	if in.Path.Set {
		path, err := t.output.For(call.Session.ID).Write(powers.FileWrite(), in.Path.Value, data)
		if err != nil {
			return toolkit.Result{}, err
		}
		text += " to " + path
	}
	res, err := t.store(ctx, call, text, artifact.Meta{Name: "page.pdf", MIME: "application/pdf"}, data)
	if err == nil {
		res.Content[0].Text += "\n" + result.FileText(ctx, bytes.NewReader(data), int64(len(data)))
	}
	return res, err
}

func pdfOptions(in pageapi.PagePDFParams) (capture.PDFOptions, error) {
	o := capture.PDFOptions{
		Landscape: in.Landscape, Background: in.PrintBackground, Scale: in.Scale, Ranges: in.PageRanges.Value,
		HeaderFooter: in.HeaderFooter || in.HeaderTemplate.Set || in.FooterTemplate.Set, Header: in.HeaderTemplate.Value, Footer: in.FooterTemplate.Value,
		Top: defaultMargin, Right: defaultMargin, Bottom: defaultMargin, Left: defaultMargin,
	}
	o.Width, o.Height = paper(in.Format)
	if in.Margin.Set {
		sides, err := margins(in.Margin.Value)
		if err != nil {
			return o, toolkit.Violations{{Path: "/margin", Problem: err.Error(), Hint: `write as "1cm" or "1cm 2cm"`}}
		}
		o.Top, o.Right, o.Bottom, o.Left = sides[0], sides[1], sides[2], sides[3]
	}
	err := sideMargins(in, &o)
	return o, err
}

// sideMargins reads the margins that are given for one side.
func sideMargins(in pageapi.PagePDFParams, o *capture.PDFOptions) error {
	var problems toolkit.Violations
	for _, side := range []struct {
		name string
		text toolkit.Opt[string]
		to   *float64
	}{
		{"/marginTop", in.MarginTop, &o.Top}, {"/marginRight", in.MarginRight, &o.Right},
		{"/marginBottom", in.MarginBottom, &o.Bottom}, {"/marginLeft", in.MarginLeft, &o.Left},
	} {
		if !side.text.Set {
			continue
		}
		n, err := inches(side.text.Value)
		if err != nil {
			problems = append(problems, toolkit.Violation{Path: side.name, Problem: err.Error()})
			continue
		}
		*side.to = n
	}
	if problems == nil {
		return nil
	}
	return problems
}

// paper is the width and height of a format in inches.
func paper(f pageapi.PagePDFFormat) (width, height float64) {
	switch f {
	case pageapi.PagePDFFormatLetter:
		return 8.5, 11
	case pageapi.PagePDFFormatLegal:
		return 8.5, 14
	case pageapi.PagePDFFormatTabloid:
		return 11, 17
	case pageapi.PagePDFFormatA3:
		return 297 / 25.4, 420 / 25.4
	case pageapi.PagePDFFormatA5:
		return 148 / 25.4, 210 / 25.4
	case pageapi.PagePDFFormatA4:
	}
	return 210 / 25.4, 297 / 25.4
}

// margins reads one to four lengths in the order of CSS (top, right, bottom, left; what is left out
// is as its opposite) and returns four, in inches.
func margins(text string) ([4]float64, error) {
	words := strings.Fields(text)
	var in []float64
	for _, w := range words {
		n, err := inches(w)
		if err != nil {
			return [4]float64{}, err
		}
		in = append(in, n)
	}
	switch len(in) {
	case 1:
		return [4]float64{in[0], in[0], in[0], in[0]}, nil
	case 2:
		return [4]float64{in[0], in[1], in[0], in[1]}, nil
	case 3:
		return [4]float64{in[0], in[1], in[2], in[1]}, nil
	case 4:
		return [4]float64(in), nil
	}
	return [4]float64{}, fmt.Errorf("expected one to four lengths, got %d", len(in))
}

// inches reads a length such as 1cm; without a unit it is in pixels, of which an inch has 96.
func inches(text string) (float64, error) {
	number, per := text, 96.0
	for unit, n := range map[string]float64{"in": 1, "cm": 2.54, "mm": 25.4, "px": 96} {
		if rest, ok := strings.CutSuffix(text, unit); ok {
			number, per = rest, n
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n/per < 100) {
		return 0, fmt.Errorf("%q is no length in in, cm, mm or px", text)
	}
	return n / per, nil
}

// pageMark begins the description of each page in what Chromium prints; Pages is the list of them.
var pageMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/Type /Page[^s]`) })

func pdfPages(data []byte) int { return len(pageMark().FindAll(data, -1)) }
