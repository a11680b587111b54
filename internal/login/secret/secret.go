// Package secret lets an agent use passwords without seeing them.
//
// The operator defines secrets in a dotenv file. The package replaces {secret:NAME} in arguments of
// calls by the value, and replaces the value in results, progress, logs and text files by a
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

	"github.com/joho/godotenv"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// minLength is the length of the shortest accepted secret, in bytes. Shorter values occur in many
// texts by chance, and their redaction would damage results.
const minLength = 4

// Vault holds the secrets of one server. It is immutable. A nil Vault is empty.
type Vault struct {
	values    map[string]string
	names     []string          // sorted
	replacer  *strings.Replacer // replaces every encoding of every value by its placeholder
	pattern   *regexp.Regexp    // matches the same encodings in streams
	fragments fragments         // the same encodings, for clipped texts
}

var namePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Load reads a dotenv file. It refuses a file that other users may read. Errors contain names,
// never values.
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
	if err != nil { // err may quote a line of the file
		return nil, fmt.Errorf("read the secrets: %s is no dotenv file of NAME=value lines", path)
	}
	v, err := New(values)
	if err != nil {
		return nil, fmt.Errorf("read the secrets: %s: %w", path, err)
	}
	return v, nil
}

// New returns a vault with values by name.
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

// prepare builds the searches for every encoding of every value. The longest of overlapping
// encodings wins.
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
	return slices.Sorted(maps.Values(v.values))
}

// reference matches a reference to a secret in an argument.
var reference = regexp.MustCompile(`\{secret:([^{}\s]*)\}`)

// substitute replaces references by values. The error for an unknown name is a refusal that
// suggests the nearest name.
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
