package main

import (
	"fmt"
	"slices"
	"strings"
)

// exclusion is a scenario that may fail, or may not be run, for a reason.
type exclusion struct{ run, scenario, reason string }

type exclusions []exclusion

// parseExclusions reads lines of a run, a scenario and a reason. Lines that begin with # are comments.
func parseExclusions(text string) (out exclusions, err error) {
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("exclusions.txt:%d: want a run, a scenario and a reason", n+1)
		}
		out = append(out, exclusion{fields[0], fields[1], strings.Join(fields[2:], " ")})
	}
	return out, nil
}

func (e exclusions) has(run, scenario string) bool {
	return slices.ContainsFunc(e, func(x exclusion) bool { return x.run == run && x.scenario == scenario })
}

// unknownRuns are errors for exclusions of runs that there are not.
func (e exclusions) unknownRuns() (out []error) {
	for _, x := range e {
		if x.run != noRun && !slices.ContainsFunc(runs(), func(r run) bool { return r.name == x.run }) {
			out = append(out, fmt.Errorf("exclusions.txt: %s %s: there is no such run", x.run, x.scenario))
		}
	}
	return out
}

// outcome is the result of a run: the failed checks of each scenario, and the scenarios that were not run.
type outcome struct {
	failures map[string][]string // by every scenario that was run
	passed   int
	warnings []string
	left     []string // scenarios that were not run
}

// noRun stands, in exclusions.txt, for the scenarios that no run includes.
const noRun = "none"

// leftOut returns the scenarios that no run includes.
func leftOut(of []outcome) (out outcome) {
	for _, o := range of {
		for _, scenario := range o.left {
			ran := func(o outcome) bool { _, ok := o.failures[scenario]; return ok }
			if !slices.ContainsFunc(of, ran) && !slices.Contains(out.left, scenario) {
				out.left = append(out.left, scenario)
			}
		}
	}
	return out
}

// judge holds the outcome against the exclusions.
func (o outcome) judge(run string, e exclusions) (problems []error) {
	var failing []string
	if run == noRun {
		failing = o.left
	}
	for scenario, failed := range o.failures {
		if len(failed) == 0 {
			continue
		}
		failing = append(failing, scenario)
		if !e.has(run, scenario) {
			problems = append(problems, fmt.Errorf("%s %s fails:\n  %s", run, scenario, strings.Join(failed, "\n  ")))
		}
	}
	for _, scenario := range failing {
		if run == noRun && !e.has(run, scenario) {
			problems = append(problems, fmt.Errorf("%s is not run, and exclusions.txt has no reason", scenario))
		}
	}
	for _, x := range e {
		if x.run == run && !slices.Contains(failing, x.scenario) {
			problems = append(problems, fmt.Errorf("exclusions.txt: %s %s does not fail any more, or does not exist: remove its line", run, x.scenario))
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return problems
}

// summary is one line about the outcome.
func (o outcome) summary(run string) string {
	failing, failed := 0, 0
	for _, f := range o.failures {
		if failed += len(f); len(f) > 0 {
			failing++
		}
	}
	text := fmt.Sprintf("conformance %s: %d scenarios, %d checks passed, %d failed in %d scenarios, %d warnings",
		run, len(o.failures), o.passed, failed, failing, len(o.warnings))
	for _, w := range o.warnings {
		text += "\n  warning: " + w
	}
	return text
}
