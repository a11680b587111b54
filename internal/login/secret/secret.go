// Package secret lets an agent use passwords without seeing them.
//
// The operator defines secrets in a dotenv file and may bind each to an origin. Arguments of calls name
// them, as {secret:NAME}; the engine has the value filled in when it types into a document, for the
// origin of that document. The package replaces the value in results, progress, logs and text files by a
// placeholder with the name, also where it occurs encoded. It must not know browsers or protocols,
// and must not print a value.
package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// minLength is the length of the shortest accepted secret, in bytes. Shorter values occur in many
// texts by chance, and their redaction would damage results.
const minLength = 4

// Vault holds the secrets of one server. It is immutable. A nil Vault is empty.
type Vault struct {
	values    map[string][]boundValue // by name
	names     []string                // sorted
	replacer  *strings.Replacer       // replaces every encoding of every value by its placeholder
	fragments *fragments              // the same encodings, for streams and clipped texts
}

// boundValue is a value and the origin that it is for; "" is every origin.
type boundValue struct{ origin, value string }

var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// Load reads a dotenv file, in which NAME@ORIGIN=value binds a value to an origin. It refuses a file that
// other users may read. Errors contain names, never values.
func Load(path string) (*Vault, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the secrets: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 && info.Mode().Type() != fs.ModeNamedPipe {
		return nil, fmt.Errorf("read the secrets: others may read %s; run: chmod 600 %s", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the secrets: %w", err)
	}
	values, err := parseFile(string(text))
	if err != nil {
		return nil, fmt.Errorf("read the secrets: %s %w", path, err)
	}
	v, err := New(values)
	if err != nil {
		return nil, fmt.Errorf("read the secrets: %s: %w", path, err)
	}
	return v, nil
}

// New returns a vault with values by name, or by NAME@ORIGIN.
func New(values map[string]string) (*Vault, error) {
	var problems []error
	v := &Vault{values: map[string][]boundValue{}}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name, written, bound := strings.Cut(key, "@")
		origin, err := "", error(nil)
		if bound {
			origin, err = parseOrigin(written)
		}
		switch {
		case !namePattern().MatchString(name):
			problems = append(problems, fmt.Errorf("%q is no name: letters, digits and _ only", name))
		case err != nil:
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		case len(values[key]) < minLength:
			problems = append(problems, fmt.Errorf("%s is shorter than %d bytes, too short to be kept out of results", name, minLength))
		default:
			v.values[name] = append(v.values[name], boundValue{origin, values[key]})
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	v.names = slices.Sorted(maps.Keys(v.values))
	v.prepare()
	return v, nil
}

// prepare builds the searches for every encoding of every value. The longest of overlapping
// encodings wins.
func (v *Vault) prepare() {
	of := map[string]string{}
	for _, n := range v.names {
		for _, b := range v.values[n] {
			addEncodings(of, b.value, placeholder(n))
		}
	}
	all := longestFirst(of)
	v.replacer, v.fragments = newReplacer(of, all), newFragments(of, all)
}

// Replacer returns a replacer of every encoding of values without names by mark. It ignores values
// shorter than minLength.
func Replacer(values []string, mark string) *strings.Replacer {
	of := map[string]string{}
	for _, value := range values {
		if len(value) >= minLength {
			addEncodings(of, value, mark)
		}
	}
	return newReplacer(of, longestFirst(of))
}

// addEncodings adds the encodings of a value that no earlier value has.
func addEncodings(of map[string]string, value, mark string) {
	for _, form := range Encodings(value) {
		if _, taken := of[form]; !taken {
			of[form] = mark
		}
	}
}

func longestFirst(of map[string]string) []string {
	return slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

func newReplacer(of map[string]string, all []string) *strings.Replacer {
	var pairs []string
	for _, form := range all {
		pairs = append(pairs, form, of[form])
	}
	return strings.NewReplacer(pairs...)
}

// placeholder returns the replacement of a value. It needs no escaping in JSON, HTML or a URL
// query.
func placeholder(name string) string { return "[secret:" + name + "]" }

// Redact replaces values in any encoding, and parts of values that clipping has left, by
// placeholders.
func (v *Vault) Redact(text string) string {
	if v == nil || len(v.names) == 0 {
		return text
	}
	return v.fragments.redact(v.replacer.Replace(text))
}

// redactTexts is Redact for texts that follow each other, over which a value may be spread.
func (v *Vault) redactTexts(texts []string) []string {
	if v == nil || len(v.names) == 0 {
		return texts
	}
	return v.fragments.redactSpread(texts)
}

// Reference replaces values by references to them, as a caller who types one writes it.
func (v *Vault) Reference(text string) string {
	if v == nil {
		return text
	}
	of := map[string]string{}
	for _, n := range v.names {
		for _, b := range v.values[n] {
			of[b.value] = "{secret:" + n + "}"
		}
	}
	var pairs []string
	for _, value := range longestFirst(of) {
		pairs = append(pairs, value, of[value])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Names returns the names of the secrets, sorted.
func (v *Vault) Names() []string {
	if v == nil {
		return nil
	}
	return v.names
}

// Values returns the values, for an engine that hides fields with secrets in screenshots.
func (v *Vault) Values() []string {
	if v == nil {
		return nil
	}
	var out []string
	for _, all := range v.values {
		for _, b := range all {
			out = append(out, b.value)
		}
	}
	slices.Sort(out)
	return out
}

// Forms returns every encoding of every value, for an engine that hides in pictures what shows one.
func (v *Vault) Forms() []string {
	if v == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(v.fragments.replacements))
}

// Unbound returns the names of the secrets that may be typed into any page, sorted.
func (v *Vault) Unbound() []string {
	var out []string
	for _, n := range v.Names() {
		if slices.ContainsFunc(v.values[n], func(b boundValue) bool { return b.origin == "" }) {
			out = append(out, n)
		}
	}
	return out
}

// Value returns the secret of a name for an origin. The error says which secrets there are.
func (v *Vault) Value(name, origin string) (string, error) { return v.valueFor(name, origin) }

// valueFor returns the value of a secret for an origin: the one bound to it, else the one for every
// origin. The error is a refusal.
func (v *Vault) valueFor(name, origin string) (string, error) {
	var all []boundValue
	if v != nil {
		all = v.values[name]
	}
	if len(all) == 0 {
		return "", v.unknown(name)
	}
	var bound []string
	unbound := ""
	for _, b := range all {
		switch b.origin {
		case "":
			unbound = b.value
		case origin:
			return b.value, nil
		default:
			bound = append(bound, b.origin)
		}
	}
	if unbound != "" {
		return unbound, nil
	}
	slices.Sort(bound)
	return "", wrongOrigin("the secret "+name, strings.Join(bound, " and "), origin)
}

// unknown is the refusal of a name that no secret has. It suggests the nearest name.
func (v *Vault) unknown(name string) error {
	message := fmt.Sprintf("there is no secret %q", name)
	if near := toolkit.Nearest(name, v.Names()); near != "" {
		message += fmt.Sprintf(", did you mean %q?", near)
	}
	if len(v.Names()) == 0 {
		message += "; an operator names secrets with --secrets FILE"
	}
	return toolkit.Refuse(toolkit.InvalidArguments, message, toolkit.Field{Name: "secrets", Value: append([]string{}, v.Names()...)})
}
