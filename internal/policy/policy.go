// Package policy has the operator's permissions: the language of the file that --policy names, the
// default without a file, and the decisions about addresses, networks and calls.
//
// It reads the file with the compiler's YAML parser and decides about plain values. It must not
// know browsers, protocols or sessions: package gateway dials for it, package enforce asks it in
// the path of a call.
package policy

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/generated/power"
)

// Verdict is the decision of a rule about a request.
type Verdict string

// The verdicts. Ask is a verdict about calls of tools only.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// Rule names the line of the file that decided, or the default where no line did.
type Rule struct {
	Pos  diag.Pos // zero for a default
	Text string   // the rule as it was written, or what the default is
}

// String returns file:line with the text of the rule, or the default.
func (r Rule) String() string {
	if r.IsDefault() {
		return "default: " + r.Text
	}
	return fmt.Sprintf("%s:%d: %s", r.Pos.File, r.Pos.Line, r.Text)
}

// IsDefault reports whether no line of a file decided.
func (r Rule) IsDefault() bool { return r.Pos.Line == 0 }

// Decision is a verdict with the rule that led to it.
type Decision struct {
	Verdict Verdict
	Rule    Rule
	// Remedy says what an operator can set so that the request is allowed; "" for Allow.
	Remedy string
}

// Policy has the permissions of one operator. Default returns the policy without a file; the zero value is
// of no use.
type Policy struct {
	// File is the path of the policy file; "" for the default.
	File string

	navigation, subresources originLists
	networks                 networks
	attached                 *setting
	decisions                []decisionRule
	asks                     []string // powers that a person is asked about where no decision matches
	limits                   Limits
}

// Limits bound sessions. A zero field sets no limit.
type Limits struct {
	WindowsPerAction, WindowsPerSession int
	Downloads                           int   // per session
	DownloadBytes                       int64 // of one file
	CallsPerMinute                      int   // per session
	SessionTime                         time.Duration
	rules                               map[string]Rule
}

// Rule returns the line that sets a limit, by its key.
func (l *Limits) Rule(key string) Rule { return l.rules[key] }

// Any reports whether a limit is set.
func (l *Limits) Any() bool { return len(l.rules) > 0 }

// Vocabulary is the names that a file may use.
type Vocabulary struct {
	Powers, Tools []string
}

// Default returns the policy that holds without a file: link-local addresses and the metadata
// services of clouds are refused, a person is asked about calls that use a power which the manifest
// says asks, everything else is allowed.
func Default() *Policy { return &Policy{networks: defaultNetworks(), asks: power.Asks()} }

// AsksAbout reports whether a person is asked about some of the powers where no decision matches.
func (p *Policy) AsksAbout(powers []string) bool {
	return slices.ContainsFunc(powers, func(name string) bool { return slices.Contains(p.asks, name) })
}

// File is a parsed file with its problems.
type File struct {
	Policy *Policy // nil if the file has errors
	Diags  diag.List
	Source diag.Source
}

// Err returns all errors of the file with source lines, or nil.
func (f *File) Err() error {
	if !f.Diags.HasErrors() {
		return nil
	}
	return fmt.Errorf("the policy has errors\n%s", f.Diags.Text(f.Source))
}

// Load reads a policy file. The error is that of reading; problems of the text are in the File.
func Load(path string, names Vocabulary) (*File, error) {
	data, err := os.ReadFile(path) // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the policy: %w", err)
	}
	return Parse(path, data, names), nil
}

// grammar describes a policy to the reader of YAML.
var grammar = &yamltree.Grammar{What: "a policy", Keys: strings.Fields("version origins allow block subresources networks link_local loopback " +
	"block_private attached_browsers decisions power tool workflow origin decision limits windows_per_action windows_per_session downloads " +
	"calls_per_minute download_bytes session_time")}

// Parse reads the text of a policy file.
func Parse(path string, data []byte, names Vocabulary) *File {
	lines := strings.Split(string(data), "\n")
	out := &File{Source: func(_ string, n int) (string, bool) {
		if n < 1 || n > len(lines) {
			return "", false
		}
		return strings.TrimSuffix(lines[n-1], "\r"), true
	}}
	doc, diags := yamltree.ReadDocument(yamltree.File{Name: path, Data: data}, grammar)
	out.Diags = diags
	r := &reader{names: names, file: path}
	r.NodeReader = yamltree.NodeReader{Diags: &r.diags, UnknownKey: ruleUnknownKey, WrongKind: ruleValue}
	p := Default()
	p.File = path
	switch {
	case doc == nil || doc.Root == nil:
		if !diags.HasErrors() {
			r.diags.Errorf(diag.Pos{File: path}, ruleMissing, "the policy is empty").Hint = "callsheet policy init prints one to begin with"
		}
	default:
		r.policy(p, doc.Root)
	}
	out.Diags = append(out.Diags, r.diags...)
	if !out.Diags.HasErrors() {
		out.Policy = p
	}
	return out
}

// Limits returns the limits of sessions.
func (p *Policy) Limits() *Limits { return &p.limits }

// where names the file in a remedy.
func (p *Policy) where() string {
	return cmp.Or(p.File, "a policy file (--policy FILE; callsheet policy init prints one)")
}
