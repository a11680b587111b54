package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/spelling"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
)

// names are the rules, tags and checks that an audit is limited to, and those that it leaves out.
type names struct {
	only, without []string
	known         []string // rules and tags of axe, once axe has been asked
}

func parseNames(rules []string) (n names) {
	for _, r := range rules {
		if name, without := strings.CutPrefix(r, "-"); without {
			n.without = append(n.without, name)
		} else {
			n.only = append(n.only, r)
		}
	}
	return n
}

// selects reports whether a check is audited.
func (n *names) selects(id string) bool {
	return (len(n.only) == 0 || slices.Contains(n.only, id)) && !slices.Contains(n.without, id)
}

// check returns an error for a name that is neither axe's nor a check. Before axe was asked it
// accepts all names.
func (n *names) check() error {
	known := slices.Clone(n.known)
	for _, c := range checks() {
		known = append(known, c.id)
	}
	for _, name := range slices.Concat(n.only, n.without) {
		if n.known != nil && !slices.Contains(known, name) {
			message := fmt.Sprintf("no rule, tag or check %q", text.ClipRunes(name, 60))
			if near := spelling.Nearest(name, known); near != "" {
				message += fmt.Sprintf(", did you mean %q?", near)
			}
			return fault.Errorf(codes.Failed, "%s", message)
		}
	}
	return nil
}

// axeOptions returns the options of axe, or nil where none of its rules is wanted. Media elements may
// load for their rule; style sheets are not requested again.
func (a *audit) axeOptions(ctx context.Context, f *frame) (any, error) {
	options := map[string]any{
		"resultTypes": []string{"violations", "incomplete"},
		"preload":     map[string]any{"assets": []string{"media"}, "timeout": 3000},
	}
	n := &a.names
	if len(n.only)+len(n.without) == 0 {
		return options, nil
	}
	var rules []struct {
		ID   string   `json:"id"`
		Tags []string `json:"tags"`
	}
	if err := f.decode(ctx, &rules, "rules"); err != nil {
		return nil, err
	}
	matches := func(r int, list []string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return name == rules[r].ID || slices.Contains(rules[r].Tags, name) })
	}
	var run []string
	disabled := map[string]json.RawMessage{}
	for i, r := range rules {
		n.known = append(append(n.known, r.ID), r.Tags...)
		switch {
		case matches(i, n.without):
			disabled[r.ID] = json.RawMessage(`{"enabled":false}`)
		case matches(i, n.only):
			run = append(run, r.ID)
		}
	}
	if len(n.only) == 0 {
		options["rules"] = disabled
		return options, nil
	}
	if len(run) == 0 {
		return nil, nil
	}
	options["runOnly"] = map[string]any{"type": "rule", "values": run}
	return options, nil
}
