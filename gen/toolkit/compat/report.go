package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/offered"
)

// Side names one side of a comparison in a report.
type Side struct {
	Source  string `json:"source"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Tools   *int   `json:"tools,omitempty"` // their number; nil is unknown
}

// SideOf describes a side that was read from a source.
func SideOf(source string, s *offered.Server) Side {
	side := Side{Source: source, Name: s.ServerName(), Version: s.Version()}
	if s.Tools != nil {
		n := len(s.Tools)
		side.Tools = &n
	}
	return side
}

// Report is a comparison, ready to print.
type Report struct {
	Old      Side      `json:"old"`
	New      Side      `json:"new"`
	Breaking bool      `json:"breaking"` // a finding is at least as severe as the limit
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Infos    int       `json:"infos"`
	Skipped  []string  `json:"not_compared"` // lists that one side does not know
	Findings []Finding `json:"findings"`
}

// NewReport sorts and counts findings.
func NewReport(old, new Side, findings []Finding, limit string) Report {
	r := Report{Old: old, New: new, Breaking: Fails(findings, limit), Findings: Sorted(findings), Skipped: []string{}}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	for _, f := range findings {
		switch f.Severity {
		case diag.Error:
			r.Errors++
		case diag.Warning:
			r.Warnings++
		default:
			r.Infos++
		}
	}
	return r
}

// Fprint writes the report in a format.
func (r Report) Fprint(w io.Writer, format diag.Format) error {
	switch format {
	case diag.JSON:
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	case diag.GitHub:
		return r.fprintGitHub(w)
	}
	_, err := io.WriteString(w, r.text())
	return err
}

// fprintGitHub writes workflow commands; infos are notices.
func (r Report) fprintGitHub(w io.Writer) error {
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, f := range r.Findings {
		level, at := string(f.Severity), ""
		if f.Severity == diag.Info {
			level = "notice"
		}
		if f.File != "" {
			at = fmt.Sprintf("file=%s,line=%d,", property.Replace(f.File), max(f.Line, 1))
		}
		text := strings.TrimSpace(f.heading() + " " + f.sentence())
		if f.Severity != diag.Info {
			text += f.sides("\nwas: ", "\nnow: ")
		}
		if _, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, at, property.Replace(f.Rule), message.Replace(text)); err != nil {
			return err
		}
	}
	return nil
}

// Locate gives the findings their places in the file that the new side was read from.
func Locate(findings []Finding, now *offered.Server, file string, data []byte) {
	lines := map[string]int{}
	for _, l := range lists(now, now) {
		for _, item := range l.now {
			if at := bytes.Index(data, item.Raw); at >= 0 {
				lines[l.kind+" "+item.Name] = 1 + bytes.Count(data[:at], []byte("\n"))
			}
		}
	}
	for i := range findings {
		f := &findings[i]
		f.File, f.Line = file, max(lines[f.Kind+" "+f.Name], 1)
	}
}

func (f Finding) heading() string {
	if f.Name == "" {
		return f.Kind + ":"
	}
	return fmt.Sprintf("%s %s:", f.Kind, f.Name)
}

func (f Finding) sentence() string {
	if f.Path == "" {
		return f.Message
	}
	return f.Path + ": " + f.Message
}

// sides are both sides of a finding that has them.
func (f Finding) sides(was, now string) string {
	if f.Was == "" && f.Now == "" {
		return ""
	}
	return was + shorten(f.Was) + now + shorten(f.Now)
}

// maxShown is how many characters of a side are printed as text.
const maxShown = 160

func shorten(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) == 0 {
		return "(none)"
	}
	if len(runes) <= maxShown {
		return string(runes)
	}
	return string(runes[:maxShown]) + "…"
}

func (r Report) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "old: %s\nnew: %s\n", r.Old, r.New)
	heading := ""
	for _, f := range r.Findings {
		if h := strings.TrimSuffix(f.heading(), ":"); h != heading {
			heading = h
			fmt.Fprintf(&b, "\n%s\n", h)
		}
		fmt.Fprintf(&b, "  %-8s %s [%s]\n", f.Severity, f.sentence(), f.Rule)
		b.WriteString(strings.TrimPrefix(f.sides("\n           was: ", "\n           now: ")+"\n", "\n"))
	}
	if len(r.Findings) > 0 {
		b.WriteByte('\n')
	}
	if len(r.Skipped) > 0 {
		fmt.Fprintf(&b, "not compared, because one side does not know them: %s\n", strings.Join(r.Skipped, ", "))
	}
	verdict := "no breaking change"
	if r.Breaking {
		verdict = "breaking"
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s\n", verdict, plural(r.Errors, "error"), plural(r.Warnings, "warning"), plural(r.Infos, "info"))
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// String names the side in text.
func (s Side) String() string {
	out := s.Source
	if about := strings.TrimSpace(s.Name + " " + s.Version); about != "" {
		out += " (" + about + ")"
	}
	if s.Tools != nil {
		out += ", " + plural(*s.Tools, "tool")
	}
	return out
}
