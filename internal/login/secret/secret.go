// Package secret lets an agent use passwords that it never sees.
//
// The operator names them in a dotenv file. An argument of a call says {secret:NAME}; the value takes its place inside
// the server, and wherever it could come back — results, progress, logs, files of text — the name takes its place again,
// in the encodings in which pages and protocols repeat what they were given. The package must not know browsers or
// protocols, and nothing in it prints a value.
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

	"github.com/joho/godotenv"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// minLength is how many bytes a secret must have: a shorter one stands in every other text by accident, and taking it out
// would spoil results without hiding anything.
const minLength = 4

// Vault is the secrets of one server. It is immutable. A nil Vault has none.
type Vault struct {
	values    map[string]string
	names     []string          // sorted
	replacer  *strings.Replacer // every form of every value → its name
	pattern   *regexp.Regexp    // the same forms, for streams
	fragments fragments         // the same forms, cut
}

var namePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Load reads a dotenv file. A file that others may read is refused: what is in it would be no secret. Errors name lines
// and names, never values.
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
	values, err := godotenv.UnmarshalBytes(text)
	if err != nil { // its text may repeat a line of the file
		return nil, fmt.Errorf("read the secrets: %s is no dotenv file of NAME=value lines", path)
	}
	v, err := New(values)
	if err != nil {
		return nil, fmt.Errorf("read the secrets: %s: %w", path, err)
	}
	return v, nil
}

// New makes a vault of names and values.
func New(values map[string]string) (*Vault, error) {
	var problems []error
	v := &Vault{values: maps.Clone(values), names: slices.Sorted(maps.Keys(values))}
	for _, n := range v.names {
		switch {
		case !namePattern.MatchString(n):
			problems = append(problems, fmt.Errorf("%q is no name: letters, digits and _ only", n))
		case len(values[n]) < minLength:
			problems = append(problems, fmt.Errorf("%s is shorter than %d bytes, too short to be kept out of results", n, minLength))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	v.prepare()
	return v, nil
}

// prepare makes the searches for every form of every value. Where forms overlap the longest counts.
func (v *Vault) prepare() {
	of := map[string]string{}
	for _, n := range v.names {
		addEncodings(of, v.values[n], placeholder(n))
	}
	all := longestFirst(of)
	var alternatives []string
	for _, form := range all {
		alternatives = append(alternatives, regexp.QuoteMeta(form))
	}
	v.replacer, v.fragments = newReplacer(of, all), newFragments(of, all)
	if len(all) > 0 {
		v.pattern = regexp.MustCompile(strings.Join(alternatives, "|"))
	}
}

// Replacer puts mark in place of every form of every value, as a vault puts names, for values that nobody has named. What
// is too short to be told from other text is left.
func Replacer(values []string, mark string) *strings.Replacer {
	of := map[string]string{}
	for _, value := range values {
		if len(value) >= minLength {
			addEncodings(of, value, mark)
		}
	}
	return newReplacer(of, longestFirst(of))
}

// addEncodings adds the forms of a value that no other has.
func addEncodings(of map[string]string, value, mark string) {
	for _, form := range encodings(value) {
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

// placeholder is what stands where a value was. It needs no escaping in JSON, HTML or a URL's query.
func placeholder(name string) string { return "[secret:" + name + "]" }

// Redact puts names where values are, in whatever form, and where a cut has left a part of one.
func (v *Vault) Redact(text string) string {
	if v == nil || len(v.names) == 0 {
		return text
	}
	return v.fragments.redact(v.replacer.Replace(text))
}

// Names lists the secrets' names, sorted.
func (v *Vault) Names() []string {
	if v == nil {
		return nil
	}
	return v.names
}

// Values lists the values, for an engine that hides fields which hold one from pictures.
func (v *Vault) Values() []string {
	if v == nil {
		return nil
	}
	return slices.Sorted(maps.Values(v.values))
}

// reference finds the places where an argument names a secret.
var reference = regexp.MustCompile(`\{secret:([^{}\s]*)\}`)

// substitute puts values where text names them. An unknown name is a refusal with the nearest one.
func (v *Vault) substitute(text string) (string, error) {
	var refused error
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		n := reference.FindStringSubmatch(ref)[1]
		value, ok := v.values[n]
		if !ok && refused == nil {
			message := fmt.Sprintf("there is no secret %q", n)
			if near := toolkit.Nearest(n, v.names); near != "" {
				message += fmt.Sprintf(", did you mean %q?", near)
			}
			refused = toolkit.Refuse(toolkit.InvalidArguments, message, toolkit.Field{Name: "secrets", Value: v.names})
		}
		return value
	})
	return out, refused
}
