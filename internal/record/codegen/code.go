// Package codegen writes a recording as a test that runs without Callsheet: in Go on chromedp, in
// TypeScript on Playwright. It also writes it as a workflow.
//
// The test finds elements by role and name, not by position. Steps that only read a page become
// comments. Traits of the manifest say how a step is translated, and package replay which values
// are parameters. It must not know how recordings are stored.
package codegen

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"net/url"
	"strings"
	"text/template"
	"unicode"

	"github.com/callsheet/callsheet/internal/record/recorder"
)

//go:embed chromedp.tmpl
var chromedpText string

//go:embed playwright.tmpl
var playwrightText string

// Go writes a Go test of package recorded. It runs with the version of chromedp that this module
// uses.
func Go(rec recorder.Recording, steps []recorder.Step) ([]byte, error) {
	text, err := render(chromedpText, rec, steps, goLines)
	if err != nil {
		return nil, err
	}
	out, err := format.Source(text)
	if err != nil {
		return nil, fmt.Errorf("format the Go test of recording %s: %w", rec.ID, err)
	}
	return out, nil
}

// Playwright writes a TypeScript test for @playwright/test.
func Playwright(rec recorder.Recording, steps []recorder.Step) ([]byte, error) {
	return render(playwrightText, rec, steps, tsLines)
}

// templateData holds the values of the templates.
type templateData struct {
	ID, Label, Base string
	Given           []string // names of environment variables that a run needs
	Lines           []string
}

func render(text string, rec recorder.Recording, steps []recorder.Step, lines func([]op, string, marks) []string) ([]byte, error) {
	t, err := template.New("test").Funcs(template.FuncMap{"quote": quote}).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read a template: %w", err)
	}
	m := newMarks()
	ops, given, err := readSteps(steps, m)
	if err != nil {
		return nil, err
	}
	d := templateData{ID: rec.ID, Label: oneLine(rec.Label), Base: originOf(ops), Given: given}
	if d.Label == "" {
		d.Label = rec.ID
	}
	d.Lines = lines(ops, d.Base, m)
	var b bytes.Buffer
	if err := t.Execute(&b, d); err != nil {
		return nil, fmt.Errorf("write the test of recording %s: %w", rec.ID, err)
	}
	return b.Bytes(), nil
}

// originOf returns the origin of the first address. BASE_URL replaces it in a run.
func originOf(ops []op) string {
	for _, o := range ops {
		if u, err := url.Parse(o.Value); (o.Kind == opNavigate || o.Kind == opNewTab) && err == nil && u.Host != "" {
			return u.Scheme + "://" + u.Host
		}
	}
	return ""
}

// oneLine makes a comment's line of a text, without what no source may have.
func oneLine(text string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '\ufeff' || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(plain), " ")
}
