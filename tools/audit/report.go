package audit

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/engine/audit"
)

//go:embed report.html
var reportHTML string

//go:embed report.css
var reportCSS string

// reportTemplate is the parsed template, made when it is first needed.
var reportTemplate = sync.OnceValues(func() (*template.Template, error) { return template.New("audit").Parse(reportHTML) })

// reportView is the data of the report's template.
type reportView struct {
	*audit.Report
	Style       template.CSS
	StyleHash   string
	When        string
	Rows        []categoryRow
	NotComputed string
}

type categoryRow struct {
	Name           string
	Failed, Passed int
	PassedIDs      string
}

// renderHTML writes one self-contained page as reports of recordings are: no script, nothing fetched,
// the style allowed by its hash alone. What the page says gets into it as text only.
func renderHTML(r *audit.Report) ([]byte, error) {
	t, err := reportTemplate()
	if err != nil {
		return nil, fmt.Errorf("parse the report's template: %w", err)
	}
	sum := sha256.Sum256([]byte(reportCSS))
	v := reportView{
		Report: r, Style: template.CSS(reportCSS), //nolint:gosec // a constant of this package
		StyleHash: "sha256-" + base64.StdEncoding.EncodeToString(sum[:]), When: r.At.UTC().Format("2 Jan 2006 15:04:05"),
		NotComputed: strings.Join(audit.NotComputed(), ", "),
	}
	for _, c := range r.Categories {
		v.Rows = append(v.Rows, categoryRow{string(c), r.Count(c, audit.Minor), len(r.Passed[c]), strings.Join(r.Passed[c], ", ")})
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return b.Bytes(), nil
}
