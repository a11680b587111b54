package configfile

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Diagnostic rules.
const (
	ruleVersion = "config-version"
	ruleKey     = "config-unknown-key"
	ruleValue   = "config-value"
	ruleProfile = "config-profile"
	ruleSecret  = "config-readable-secret"
	ruleCheck   = "config-refused"
)

// Keys of the file that are no flags.
const (
	keyVersion  = "version"
	keyProfiles = "profiles"
	keyProfile  = "profile"
)

// notInFile are flags that choose a file or a session, and would make no sense in one.
var notInFile = map[string]string{
	"config":  "the flag and CALLSHEET_CONFIG choose the file; a file cannot choose another one",
	"session": "a session is chosen for each client; give --session to the client's command",
	"help":    "it is no setting",
}

type reader struct {
	file    *File
	fresh   func() *pflag.FlagSet
	private bool // no one else can read the file
	dir     string
}

func (r *reader) errorf(pos diag.Pos, rule, format string, args ...any) *diag.Diagnostic {
	return r.file.Diags.Errorf(pos, rule, format, args...)
}

func (r *reader) root(n *yamltree.Node) {
	if n.Kind != yamltree.MappingNode {
		r.errorf(n.Pos, ruleValue, "the configuration must be a mapping, not %s", n.Kind).Hint = "begin with version: 1"
		return
	}
	switch v := n.Member(keyVersion); {
	case v == nil:
		r.errorf(n.Pos, ruleVersion, "the configuration has no version").Hint = "begin with version: 1"
	case v.Text.Value != "1":
		r.errorf(v.Pos, ruleVersion, "version %s is unknown", v.Text.Value).Hint = "this program reads version: 1"
	}
	flags := r.fresh()
	for _, m := range n.Members {
		switch m.Key.Value {
		case keyVersion:
		case keyProfiles:
			r.profiles(m.Value)
		case keyProviders:
			r.providers(m.Value)
		case keyTokens:
			r.tokens(m.Value)
		default:
			r.setting(flags, r.file.Settings, m, []string{keyVersion, keyProfiles, keyProviders, keyTokens})
		}
	}
}

func (r *reader) profiles(n *yamltree.Node) {
	if n.Kind != yamltree.MappingNode {
		r.errorf(n.Pos, ruleValue, "profiles must be a mapping of names to settings, not %s", n.Kind)
		return
	}
	for _, m := range n.Members {
		settings := map[string]Setting{}
		r.file.Profiles[m.Key.Value], r.file.profilePos[m.Key.Value] = settings, m.Key.Pos
		if m.Value.Kind != yamltree.MappingNode {
			r.errorf(m.Value.Pos, ruleValue, "profile %q must be a mapping of settings, not %s", m.Key.Value, m.Value.Kind)
			continue
		}
		flags := r.fresh()
		for _, s := range m.Value.Members {
			r.setting(flags, settings, s, nil)
		}
	}
}

// setting reads one key and tries its values on the flags.
func (r *reader) setting(flags *pflag.FlagSet, into map[string]Setting, m yamltree.Member, others []string) {
	name := m.Key.Value
	if why, ok := notInFile[name]; ok {
		r.errorf(m.Key.Pos, ruleKey, "%s cannot stand in a configuration file", name).Hint = why
		return
	}
	flag := flags.Lookup(name)
	if flag == nil {
		d := r.errorf(m.Key.Pos, ruleKey, "unknown key %q", name)
		hyphens := strings.ReplaceAll(name, "_", "-")
		switch near := diag.DidYouMean(hyphens, append(Names(flags), others...)); {
		case near != "":
			d.Hint = near
		case flags.Lookup(hyphens) != nil:
			d.Hint = fmt.Sprintf("did you mean %q?", hyphens)
		default:
			d.Hint = "a key is the name of a flag; callsheet config show --all lists them"
		}
		return
	}
	s, ok := r.values(flag, m)
	if !ok {
		return
	}
	if flag.Annotations[SecretAnnotation] != nil && !r.private {
		r.errorf(m.Key.Pos, ruleSecret, "%s is a credential, and others can read this file", name).Hint = "chmod 600 " + r.file.Path
	}
	into[name] = s
}

// values reads a scalar or a list and tries each text on the flag.
func (r *reader) values(flag *pflag.Flag, m yamltree.Member) (Setting, bool) {
	s := Setting{Key: m.Key.Pos, Value: m.Value.Pos}
	items := []*yamltree.Node{m.Value}
	switch {
	case m.Value.Kind == yamltree.ListNode && !IsList(flag):
		r.errorf(m.Value.Pos, ruleValue, "%s takes one value, not a list", flag.Name)
		return s, false
	case m.Value.Kind == yamltree.ListNode:
		items = m.Value.Items
	}
	if len(items) == 0 {
		r.errorf(m.Value.Pos, ruleValue, "%s is an empty list", flag.Name).Hint = "leave the key out"
		return s, false
	}
	for _, item := range items {
		switch item.Kind {
		case yamltree.MappingNode, yamltree.ListNode, yamltree.NullLiteral, yamltree.OtherLiteral:
			d := r.errorf(item.Pos, ruleValue, "%s must be %s, not %s", flag.Name, Kind(flag), item.Kind)
			if item.Kind == yamltree.MappingNode {
				d.Hint = "put quotes around a text with a colon or braces"
			}
			return s, false
		}
		text := r.resolve(flag, item.Text.Value)
		if item.Kind == yamltree.BoolLiteral && flag.Value.Type() == "on|off" {
			text = map[bool]string{true: "on", false: "off"}[item.Bool]
		}
		if err := flag.Value.Set(text); err != nil {
			r.errorf(item.Pos, ruleValue, "%s cannot be %s: %v", flag.Name, shown(flag, item.Text.Value), err).Hint = flagHint(flag)
			return s, false
		}
		s.Values, s.Items = append(s.Values, text), append(s.Items, item.Pos)
	}
	return s, true
}

// flagHint says what the flag wants when its error does not.
func flagHint(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "write true or false"
	case "int":
		return "write a whole number"
	}
	return ""
}

// shown quotes a value, unless it is a credential.
func shown(flag *pflag.Flag, value string) string {
	if flag.Annotations[SecretAnnotation] != nil {
		return "this"
	}
	return fmt.Sprintf("%q", value)
}

// resolve makes a path of the file absolute.
func (r *reader) resolve(flag *pflag.Flag, value string) string {
	if !isRelativePath(flag, value) {
		return value
	}
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if abs, err := filepath.Abs(filepath.Join(r.dir, value)); err == nil {
		return abs
	}
	return value
}

// isRelativePath reports whether a flag takes a path and the value is a relative one.
func isRelativePath(flag *pflag.Flag, value string) bool {
	marks := flag.Annotations[PathAnnotation]
	isName := slices.Contains(marks, ProgramPath) && !strings.ContainsRune(value, '/')
	return marks != nil && value != "" && !isName && !filepath.IsAbs(value)
}

// Absolute returns the value of a flag; a relative path is resolved in the current directory.
func Absolute(flag *pflag.Flag, value string) (string, error) {
	if !isRelativePath(flag, value) {
		return value, nil
	}
	return filepath.Abs(value)
}

// Names returns the names of the flags that a file may set, sorted.
func Names(flags *pflag.FlagSet) []string {
	var out []string
	flags.VisitAll(func(f *pflag.Flag) {
		if _, refused := notInFile[f.Name]; !refused && !f.Hidden {
			out = append(out, f.Name)
		}
	})
	slices.Sort(out)
	return out
}

// IsList reports whether a flag takes several values.
func IsList(flag *pflag.Flag) bool {
	return slices.Contains([]string{"csv", "stringArray", "stringSlice"}, flag.Value.Type())
}

// Kind says in words what a flag takes.
func Kind(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "true or false"
	case "int":
		return "a number"
	case "csv", "stringArray", "stringSlice":
		return "a text or a list of texts"
	}
	return "a text"
}

// ProfileNames returns the names of the file's profiles, sorted. A nil file has none.
func (f *File) ProfileNames() []string {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.Profiles))
}
