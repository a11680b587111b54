package connection

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/connectionapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/text"
)

// ListTargets lists what is in the browser: pages, which switch_target can choose by index, and
// what belongs to them.
func (t *Tools) ListTargets(ctx context.Context, call *toolkit.Call, in connectionapi.ListTargetsParams) (toolkit.Result, error) {
	_, targets, err := t.targets(ctx, call, in.ConnectionID)
	if err != nil {
		return toolkit.Result{}, err
	}
	if len(targets) == 0 {
		return toolkit.Text("no targets"), nil
	}
	var lines []string
	for i, target := range targets {
		lines = append(lines, targetLine(i, target))
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// targets lists the targets of the connection that a call names, or else of the active one and its isolated
// tabs, and which connection has each by its id.
func (t *Tools) targets(ctx context.Context, call *toolkit.Call, connection toolkit.Opt[string]) (map[string]*session.Connection, []browser.Target, error) {
	set := t.sessions.Set(call)
	c, err := set.Get(connection.Value)
	if err != nil {
		return nil, nil, err
	}
	family := []*session.Connection{c}
	if !connection.Set {
		family = set.Family()
	}
	owners := make(map[string]*session.Connection)
	var all []browser.Target
	for _, member := range family {
		targets, err := member.Session().Targets(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, target := range targets {
			target.Current = target.Current && member == c
			owners[target.ID], all = member, append(all, target)
		}
	}
	return owners, all, nil
}

// targetLine shows a target: 0 page t1 https://example.com/ "Example" (current).
func targetLine(index int, target browser.Target) string {
	line := fmt.Sprintf("%d %s", index, target.Kind)
	if target.Tab != "" {
		line += " " + target.Tab
	}
	line += " " + text.ClipRunes(target.URL, 120)
	if target.Title != "" && target.Title != target.URL {
		line += fmt.Sprintf(" %q", text.ClipRunes(target.Title, 60))
	}
	if target.Current {
		line += " (current)"
	}
	return line
}

// SwitchTarget makes a page the current tab.
func (t *Tools) SwitchTarget(ctx context.Context, call *toolkit.Call, in connectionapi.SwitchTargetParams) (toolkit.Result, error) {
	owners, targets, err := t.targets(ctx, call, in.ConnectionID)
	if err != nil {
		return toolkit.Result{}, err
	}
	target, err := chooseTarget(ctx, targets, in)
	if err != nil {
		return toolkit.Result{}, err
	}
	owner := owners[target.ID]
	tab, err := owner.Session().Adopt(ctx, target.ID)
	if err == nil && !in.ConnectionID.Set {
		_, err = t.sessions.Set(call).Switch(ctx, owner.ID())
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("current tab: %s %s %q", tab.ID(), tab.URL(), target.Title), nil
}

// chooseTarget returns the one page that matches. An exact match wins over others; several equal
// matches are an error.
func chooseTarget(ctx context.Context, targets []browser.Target, in connectionapi.SwitchTargetParams) (browser.Target, error) {
	if in.Index.Set {
		i := in.Index.Value
		if i < 0 || i >= len(targets) {
			return browser.Target{}, toolkit.Refuse(codes.NotFound, fmt.Sprintf("no target has index %d; there are %d", i, len(targets)))
		}
		if targets[i].Kind != "page" {
			return browser.Target{}, toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("target %d is no page: %s", i, targetLine(i, targets[i])))
		}
		return targets[i], nil
	}
	said, wanted, field := "title", in.Title.Value, func(t browser.Target) string { return t.Title }
	if !in.Title.Set {
		said, wanted, field = "url", in.URL.Value, func(t browser.Target) string { return t.URL }
	}
	var exact, fitting []browser.Target
	var pages, lines []string
	for i, target := range targets {
		if target.Kind != "page" {
			continue
		}
		pages = append(pages, targetLine(i, target))
		switch value := secret.Shown(ctx)(field(target)); {
		case value == wanted:
			exact = append(exact, target)
			fallthrough
		case matchesWanted(value, wanted, said == "url"):
			fitting = append(fitting, target)
			lines = append(lines, targetLine(i, target))
		}
	}
	switch {
	case len(exact) == 1:
		return exact[0], nil
	case len(fitting) == 1:
		return fitting[0], nil
	case len(fitting) == 0:
		return browser.Target{}, toolkit.Refuse(codes.NotFound, fmt.Sprintf("no page has a %s like %q; there are: %s", said, wanted, strings.Join(pages, "; ")),
			toolkit.Field{Name: "candidates", Value: pages})
	}
	return browser.Target{}, toolkit.Refuse(codes.Ambiguous, fmt.Sprintf("%d pages have a %s like %q; choose one by index: %s", len(fitting), said, wanted, strings.Join(lines, "; ")),
		toolkit.Field{Name: "candidates", Value: lines})
}

// matchesWanted reports whether a value contains what is wanted, in any case. With stars allowed
// and given, the pattern describes the whole value.
func matchesWanted(value, wanted string, stars bool) bool {
	value, wanted = strings.ToLower(value), strings.ToLower(wanted)
	if !stars || !strings.Contains(wanted, "*") {
		return strings.Contains(value, wanted)
	}
	parts := strings.Split(wanted, "*")
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(value, first) {
		return false
	}
	value = value[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, ok := strings.Cut(value, part)
		if !ok {
			return false
		}
		value = rest
	}
	return strings.HasSuffix(value, last)
}
