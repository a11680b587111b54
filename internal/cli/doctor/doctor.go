// Package doctor looks for what would keep callsheet from working, and says what to do about it.
//
// A check looks at one thing, changes nothing, and has a remedy for whatever it finds wrong. The
// package must not know how its report is shown.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// Verdict says how a check ended.
type Verdict string

// The verdicts, worst last.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning" // works, but not for everything
	Failure Verdict = "failure"
)

// Finding is the result of a check.
type Finding struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Detail  string  `json:"detail"`
	Remedy  string  `json:"remedy,omitempty"`
}

// Subject is the examined configuration: the one that a server would be started with.
type Subject struct {
	Browser browser.Config
	State   statedir.Dir
	Store   *database.Store
	// Postgres is the address of the database of jobs; "" for none.
	Postgres string
	Address  string // the --http address; "" for none
	// UnboundSecrets are the names of secrets that may be typed into any page.
	UnboundSecrets []string
	OwnPID         int // the process of the server's own browser, which may have the profile open; 0 for none
}

// check is one thing to look at. An empty list is nothing to say.
type check struct {
	name   string
	starts bool // it starts a browser, which takes a moment
	run    func(context.Context, Subject) []Finding
}

// checks are in the order in which a person would fix what they find.
func checks() []check {
	return []check{
		{"browser", false, checkBrowser},
		{"sandbox", false, checkSandbox},
		{"fonts", false, checkFonts},
		{"display", false, checkDisplay},
		{"profile", false, checkProfile},
		{"secrets", false, checkSecrets},
		{"orphans", false, checkOrphans},
		{"start", true, checkStart},
		{"port", false, checkPort},
		{"attach", false, checkAttach},
		{"state", false, checkState},
		{"database", false, checkDatabase},
		{"postgres", false, checkPostgres},
		{"disk", false, checkDisk},
	}
}

// checkTimeout bounds one check.
const checkTimeout = 45 * time.Second

// Examine runs the checks; with start, those that start a browser too. It calls report with each
// finding at once; report may be nil.
func Examine(ctx context.Context, s Subject, start bool, report func(Finding)) []Finding {
	var all []Finding
	for _, c := range checks() {
		if c.starts && (!start || hasFailure(all, "browser", "sandbox", "profile")) {
			continue // it could not but fail for the reason already found
		}
		bounded, cancel := context.WithTimeout(ctx, checkTimeout)
		for _, f := range c.run(bounded, s) {
			f.Check = cmp.Or(f.Check, c.name)
			all = append(all, f)
			if report != nil {
				report(f)
			}
		}
		cancel()
	}
	return all
}

func hasFailure(all []Finding, checks ...string) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Verdict == Failure && slices.Contains(checks, f.Check) })
}

// Worst is the worst verdict of a report.
func Worst(all []Finding) Verdict {
	worst := OK
	for _, f := range all {
		if f.Verdict == Failure || f.Verdict == Warning && worst == OK {
			worst = f.Verdict
		}
	}
	return worst
}

// Text writes a finding as one line, and its remedy as another.
func (f Finding) Text() string {
	line := fmt.Sprintf("%-8s %-9s %s", f.Verdict, f.Check, f.Detail)
	if f.Remedy != "" {
		line += "\n" + strings.Repeat(" ", 19) + "→ " + f.Remedy
	}
	return line
}

func pass(format string, args ...any) []Finding {
	return []Finding{{Verdict: OK, Detail: fmt.Sprintf(format, args...)}}
}

func problem(v Verdict, remedy, format string, args ...any) []Finding {
	return []Finding{{Verdict: v, Detail: fmt.Sprintf(format, args...), Remedy: remedy}}
}
