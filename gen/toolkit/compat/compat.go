// Package compat compares the old and the new lists of a server, for clients that cached the old ones:
// which of their calls fail, which of their assumptions mislead, and which changes only add.
//
// Some of the rules also judge releases of a manifest; this package applies them to any JSON Schema. It must not know
// where the two sides were read.
package compat

import (
	"cmp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/offered"
)

// Finding is one change.
type Finding struct {
	Rule     string        `json:"rule"`
	Severity diag.Severity `json:"severity"`
	Kind     string        `json:"kind"`           // tool, prompt, resource, template or server
	Name     string        `json:"name,omitempty"` // of the entry; "" for a server
	Path     string        `json:"path,omitempty"` // of a value in a schema, as in filter.names[]
	Message  string        `json:"message"`
	Was      string        `json:"was,omitempty"` // the old side where the message does not say it
	Now      string        `json:"now,omitempty"`
	File     string        `json:"file,omitempty"` // of the new side, where it is one
	Line     int           `json:"line,omitempty"`
}

// Compare lists the changes: of tools, prompts, resources, templates and the server, each in the order of
// the old list and then of the rules. Lists that one side does not know are not compared; Skipped names
// them.
func Compare(was, now *offered.Server) []Finding {
	var out []Finding
	for _, l := range lists(was, now) {
		if l.was == nil || l.now == nil {
			continue
		}
		before, after := index(decode(l.was)), index(decode(l.now))
		all := &pair{before, after}
		for _, e := range before.order {
			out = append(out, apply(l.rules, &subject{kind: l.kind, was: e, now: after.find(e.name), all: all})...)
		}
		for _, e := range after.order {
			if before.find(e.name) == nil {
				out = append(out, apply(l.rules, &subject{kind: l.kind, now: e, all: all})...)
			}
		}
	}
	return append(out, compareServers(was, now)...)
}

// Skipped names the lists, and what is known of the server, that one side does not have.
func Skipped(was, now *offered.Server) []string {
	out := []string{}
	for _, l := range lists(was, now) {
		if l.was == nil || l.now == nil {
			out = append(out, l.kind+"s")
		}
	}
	if was.Capabilities == nil || now.Capabilities == nil {
		out = append(out, "capabilities")
	}
	return out
}

// rank orders severities from the least.
func rank(s diag.Severity) int {
	return slices.Index([]diag.Severity{diag.Info, diag.Warning, diag.Error}, s)
}

// Fails reports whether a finding is at least as severe as the limit; "never" is above all.
func Fails(findings []Finding, limit string) bool {
	return limit != never && slices.ContainsFunc(findings, func(f Finding) bool { return rank(f.Severity) >= rank(diag.Severity(limit)) })
}

const never = "never"

// Limits lists the values of Fails.
func Limits() []string {
	return []string{string(diag.Error), string(diag.Warning), string(diag.Info), never}
}

// Ignore removes the findings that the patterns name, each RULE or RULE:NAME, and returns the patterns that
// name none.
func Ignore(findings []Finding, patterns []string) (kept []Finding, idle []string) {
	used := map[string]bool{}
	for _, f := range findings {
		drop := false
		for _, p := range patterns {
			rule, name, only := strings.Cut(p, ":")
			if rule == f.Rule && (!only || name == f.Name) {
				used[p], drop = true, true
			}
		}
		if !drop {
			kept = append(kept, f)
		}
	}
	for _, p := range patterns {
		if !used[p] {
			idle = append(idle, p)
		}
	}
	return kept, idle
}

// Sorted orders findings by severity, worst first, within each entry.
func Sorted(findings []Finding) []Finding {
	out := slices.Clone(findings)
	first := map[string]int{}
	for i, f := range out {
		if key := f.Kind + "\x00" + f.Name; first[key] == 0 {
			first[key] = i + 1
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(first[a.Kind+"\x00"+a.Name], first[b.Kind+"\x00"+b.Name]), cmp.Compare(rank(b.Severity), rank(a.Severity)))
	})
	return out
}
