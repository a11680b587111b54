// Package docs writes the reference of a tool set as markdown for people: TOOLS.md, VISIBILITY.md,
// CLI.md, POWERS.md, PROMPTS.md, RESOURCES.md and RULES.md.
//
// Layout lives in the templates beside it, numbers come from packages schema and snapshot. It must
// not decide anything about a tool, and whatever a manifest's author wrote must come out as the
// text it is, never as markup.
package docs

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/callsheet/callsheet/gen/emit/snapshot"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

//go:embed *.md.tmpl
var layouts embed.FS

// Rule is one row of a rule table: the ID that diagnostics carry, and what it demands and why, as
// plain paragraphs separated by blank lines.
type Rule struct {
	ID, Doc string
}

// Emit plans docs/TOOLS.md, the reference of every tool, docs/VISIBILITY.md, which tool is listed
// when, and where there are such, docs/CLI.md, every verb, docs/POWERS.md, which tool uses which
// power, docs/REFUSALS.md, the codes of refusals, docs/PROMPTS.md and docs/RESOURCES.md.
func Emit(ts *model.Toolset) ([]output.File, error) {
	lists := snapshot.Lists(ts)
	tools, err := render("TOOLS.md", toolsPage(ts, lists))
	if err != nil {
		return nil, err
	}
	visibility, err := render("VISIBILITY.md", visibilityPage(ts))
	if err != nil {
		return nil, err
	}
	files := []output.File{tools, visibility}
	for _, page := range []struct {
		name  string
		is    bool
		write func() any
	}{
		{"CLI.md", ts.CLI != nil, func() any { return commandPage(ts) }},
		{"POWERS.md", len(ts.Powers) > 0, func() any { return powersPage(ts) }},
		{"REFUSALS.md", len(ts.Codes) > 0, func() any { return refusalsPage(ts) }},
		{"PROMPTS.md", len(ts.Prompts) > 0, func() any { return promptsPage(ts) }},
		{"RESOURCES.md", len(ts.Resources) > 0, func() any { return resourcesPage(ts) }},
	} {
		if !page.is {
			continue
		}
		f, err := render(page.name, page.write())
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// EmitRules plans docs/RULES.md: every rule of the compiler, sorted by ID.
func EmitRules(rules []Rule) ([]output.File, error) {
	sorted := slices.SortedFunc(slices.Values(rules), func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	f, err := render("RULES.md", sorted)
	if err != nil {
		return nil, err
	}
	return []output.File{f}, nil
}

// render executes the page's layout.
func render(page string, data any) (output.File, error) {
	layout, err := template.New("").Funcs(template.FuncMap{
		"prose": prose, "code": code, "codes": codes, "tableCode": tableCode, "paragraphs": paragraphs,
		"anchor": strings.ToLower, // as GitHub names the anchor of a heading that is one word
	}).ParseFS(layouts, "*.md.tmpl")
	if err != nil {
		return output.File{}, fmt.Errorf("read the layouts: %w", err)
	}
	var b bytes.Buffer
	if err := layout.ExecuteTemplate(&b, page+".tmpl", data); err != nil {
		return output.File{}, fmt.Errorf("write %s: %w", page, err)
	}
	return output.File{Path: "docs/" + page, Data: b.Bytes()}, nil
}
