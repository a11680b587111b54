package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/policy"
	"github.com/callsheet/callsheet/internal/policy/enforce"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/text"
)

// newEnforcer reads the policy of the configuration.
func newEnforcer(cfg Config, user *profileUser) (*enforce.Enforcer, error) {
	p, err := LoadPolicy(cfg.Policy)
	if err != nil {
		return nil, err
	}
	return enforce.New(enforce.Config{
		Policy: p, SharedSession: user.name, Describe: describeArguments, Logger: cfg.logger(),
	}), nil
}

// policyEntry returns the entry of the journal for a decision.
func policyEntry(e enforce.Entry) journal.Entry {
	args, _ := json.Marshal(map[string]any{"kind": e.Kind, "target": e.Target, "rule": e.Rule, "count": e.Count}) // texts always encode
	return journal.Entry{Session: e.Session, Tool: "policy", StartedAt: e.At, Outcome: string(e.Verdict), Args: string(args)}
}

// describeArguments returns the arguments of a call for a person: those whose roles say that they
// hold no secret, and the length of every other text.
func describeArguments(t *toolkit.Tool, args []byte) string { return describeRoles(t.Traits, args) }

func describeRoles(traits toolkit.Traits, args []byte) string {
	var in map[string]any
	if json.Unmarshal(args, &in) != nil || len(in) == 0 {
		return "none"
	}
	shown := []toolkit.Role{"tab", "connection", "ref", "query", "selector", "url", "action", "tool", "download", "file"}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(in)) {
		text, isText := in[name].(string)
		switch {
		case isText && slices.Contains(shown, traits.Role("/"+argument.Escape(name))):
			out = append(out, fmt.Sprintf("%s: %q", name, clipText(text)))
		case isText:
			out = append(out, fmt.Sprintf("%s: %d characters", name, len([]rune(text))))
		default:
			out = append(out, fmt.Sprintf("%s: %s", name, summarizeValue(in[name])))
		}
	}
	return strings.Join(out, ", ")
}

// maxShownText bounds a shown text in characters.
const maxShownText = 120

// clipText removes the query and the user info of an address, and what is too long.
func clipText(s string) string {
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		s = u.String()
	}
	return text.ClipRunes(s, maxShownText)
}

func summarizeValue(v any) string {
	switch v := v.(type) {
	case bool, float64:
		return fmt.Sprint(v)
	case []any:
		return fmt.Sprintf("%d items", len(v))
	}
	return "an object"
}

// PolicyVocabulary returns the names of powers and tools that a policy file may use.
func PolicyVocabulary() policy.Vocabulary {
	var out policy.Vocabulary
	table := vocabulary()
	for i := range table.Tools {
		out.Tools = append(out.Tools, table.Tools[i].Name)
	}
	for _, p := range table.Powers {
		out.Powers = append(out.Powers, p.Name)
	}
	return out
}

// LoadPolicy reads a policy file; "" is the default. The error has all mistakes of the file.
func LoadPolicy(path string) (*policy.Policy, error) {
	if path == "" {
		return policy.Default(), nil
	}
	file, err := policy.Load(path, PolicyVocabulary())
	if err != nil {
		return nil, err
	}
	if err := file.Err(); err != nil {
		return nil, err
	}
	return file.Policy, nil
}

// PowersOf returns the powers of a call: those that are given, or else all that a call of the tool can use. The error
// says that there is no such tool or power.
func PowersOf(tool string, given []string) ([]string, error) {
	names := PolicyVocabulary()
	for _, power := range given {
		if !slices.Contains(names.Powers, power) {
			return nil, fmt.Errorf("there is no power %q%s", power, didYouMean(power, names.Powers))
		}
	}
	if tool == "" {
		return given, nil
	}
	table := vocabulary()
	i, ok := table.Lookup(tool)
	if !ok {
		return nil, fmt.Errorf("there is no tool %q%s", tool, didYouMean(tool, names.Tools))
	}
	if len(given) > 0 {
		return given, nil
	}
	return table.Tools[i].AllPowers(), nil
}

func didYouMean(name string, known []string) string {
	if near := toolkit.Nearest(name, known); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}
