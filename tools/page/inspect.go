package page

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/result"
)

// section is a part of an inspection and the beginnings of the words that ask for it.
type section struct {
	title string
	words []string
	lines func(read.Overview) []string
}

func sections() []section {
	return []section{
		{"Focused", []string{"focus", "cursor", "caret"}, func(s read.Overview) []string { return nonEmpty(s.Focused) }},
		{"Headings", []string{"head", "title", "outline", "structure"}, func(s read.Overview) []string { return s.Headings }},
		{"Form fields", []string{"form", "field", "input", "fill"}, func(s read.Overview) []string { return s.Fields }},
		{"Errors", []string{"error", "invalid", "alert", "warning", "valid", "problem", "message"}, func(s read.Overview) []string { return s.Errors }},
		{"Tabs", []string{"tab"}, func(s read.Overview) []string { return s.Tabs }},
		{"Content", []string{"content", "panel", "dialog", "modal", "popup", "main", "text", "region"}, func(s read.Overview) []string { return s.Panels }},
		{"Controls", []string{"button", "link", "click", "control", "action", "interact", "menu"}, func(s read.Overview) []string { return s.Actions }},
		{"Page", []string{"page", "url", "address", "scroll", "ready", "load", "state"}, about},
	}
}

func nonEmpty(s string) []string {
	if s == "" {
		return []string{"nothing"}
	}
	return []string{s}
}

func about(s read.Overview) []string {
	p := s.Page
	return []string{
		fmt.Sprintf("%s %q", p.URL, p.Title),
		fmt.Sprintf("%s, scrolled to %s, %d controls, %d forms, %d dialogs, %d frames", p.Ready, p.Scroll, p.Controls, p.Forms, p.Dialogs, p.Frames),
	}
}

// Inspect answers with the sections that the question asks for, or with all.
func (t *Tools) Inspect(ctx context.Context, call *toolkit.Call, in pageapi.InspectParams) (toolkit.Result, error) {
	var s read.Overview
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		s, err = p.Read.Overview(ctx, in.Scope != pageapi.InspectScopeAll, 0)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	asked := strings.Fields(strings.ToLower(in.Query))
	all := sections()
	picked := slices.DeleteFunc(slices.Clone(all), func(c section) bool {
		return !slices.ContainsFunc(asked, func(word string) bool {
			return slices.ContainsFunc(c.words, func(w string) bool { return strings.HasPrefix(word, w) })
		})
	})
	if len(picked) == 0 {
		picked = all
	}
	var b strings.Builder
	for _, c := range picked {
		if in.Scope == pageapi.InspectScopeInteractive && (c.title == "Headings" || c.title == "Content") {
			continue
		}
		lines := c.lines(s)
		if len(lines) == 0 {
			lines = []string{"none"}
		}
		fmt.Fprintf(&b, "%s:\n  %s\n", c.title, strings.Join(lines, "\n  "))
	}
	return toolkit.Text(result.Quote(b.String())), nil
}
