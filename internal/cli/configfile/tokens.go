package configfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// keyTokens is the table of bearer tokens.
const keyTokens = "tokens"

// Digest is the SHA-256 of a bearer token. Tokens are random, so that no digest can be turned back.
type Digest [sha256.Size]byte

// Token is a bearer token that a server over HTTP takes.
type Token struct {
	Name    string
	Digest  Digest
	Powers  []string  // those that its calls may have; nil stands for every power
	Expires time.Time // zero: never
}

// dayLayout is the form of a day, the last one on which a token is good.
const dayLayout = time.DateOnly

// Day returns the last day on which the token is good, or "never".
func (t Token) Day() string {
	if t.Expires.IsZero() {
		return "never"
	}
	return t.Expires.AddDate(0, 0, -1).Format(dayLayout)
}

// ParseDay returns the end of a day in UTC.
func ParseDay(text string) (time.Time, error) {
	day, err := time.Parse(dayLayout, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no day such as 2027-01-31", text)
	}
	return day.AddDate(0, 0, 1), nil
}

// tokenName is the form of a token's name.
var tokenName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) })

const nameForm = "1 to 64 of A-Z a-z 0-9 . _ -"

// tokens reads the table of bearer tokens. An empty table takes no token.
func (r *reader) tokens(n *yamltree.Node) {
	r.file.Tokens = map[string]Token{}
	if n.Kind != yamltree.MappingNode {
		r.errorf(n.Pos, ruleValue, "tokens must be a mapping of names to tokens, not %s", n.Kind).Hint = "callsheet token add NAME writes one"
		return
	}
	for _, m := range n.Members {
		t := Token{Name: m.Key.Value}
		if !tokenName().MatchString(t.Name) {
			r.errorf(m.Key.Pos, ruleValue, "%q is no name of a token", t.Name).Hint = "a name is " + nameForm
		}
		nodes := yamltree.NodeReader{Diags: &r.file.Diags, UnknownKey: ruleKey, WrongKind: ruleValue}
		nodes.Fields(m.Value, fmt.Sprintf("token %q", t.Name), map[string]yamltree.NodeField{
			"sha256":  func(_ yamltree.Text, n *yamltree.Node) { r.digest(&t, n) },
			"powers":  func(key yamltree.Text, n *yamltree.Node) { r.tokenPowers(&nodes, &t, key, n) },
			"expires": func(_ yamltree.Text, n *yamltree.Node) { r.expiry(&t, n) },
		})
		if t.Digest == (Digest{}) {
			r.errorf(m.Key.Pos, ruleValue, "token %q has no sha256", t.Name).Hint = "callsheet token add NAME writes one"
		}
		for _, other := range r.file.Tokens {
			if other.Digest == t.Digest {
				r.errorf(m.Key.Pos, ruleValue, "tokens %q and %q are the same", other.Name, t.Name)
			}
		}
		r.file.Tokens[t.Name] = t
	}
}

func (r *reader) digest(t *Token, n *yamltree.Node) {
	digest, err := hex.DecodeString(n.Text.Value)
	if err != nil || len(digest) != len(t.Digest) {
		r.errorf(n.Pos, ruleValue, "sha256 must be 64 hexadecimal digits in quotes")
		return
	}
	copy(t.Digest[:], digest)
}

func (r *reader) tokenPowers(nodes *yamltree.NodeReader, t *Token, key yamltree.Text, n *yamltree.Node) {
	t.Powers = []string{}
	if n.Kind != yamltree.ListNode {
		nodes.Wrong(key, n, "a list of powers")
		return
	}
	for _, item := range n.Items {
		t.Powers = append(t.Powers, item.Text.Value) // the server knows which there are
	}
}

func (r *reader) expiry(t *Token, n *yamltree.Node) {
	var err error
	if t.Expires, err = ParseDay(n.Text.Value); err != nil {
		r.errorf(n.Pos, ruleValue, "expires must be a day").Hint = "write 2027-01-31; it is the last one on which the token is good"
	}
}

// TokenNames returns the names of the file's tokens, sorted. A nil file has none.
func (f *File) TokenNames() []string {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.Tokens))
}

// AddToken returns the text of a configuration file with one more token, whose line is the first of the table.
// An empty text becomes a file.
func AddToken(path string, data []byte, t Token, fresh func() *pflag.FlagSet) ([]byte, error) {
	if !tokenName().MatchString(t.Name) {
		return nil, fmt.Errorf("%q is no name of a token: a name is %s", t.Name, nameForm)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("version: 1\n")
	}
	file := parse(path, data, true, fresh)
	if err := file.Err(); err != nil {
		return nil, err
	}
	if _, ok := file.Tokens[t.Name]; ok {
		return nil, fmt.Errorf("%s has a token %q; callsheet token revoke %s ends it", path, t.Name, t.Name)
	}
	line := fmt.Sprintf("%s: {sha256: %q", t.Name, hex.EncodeToString(t.Digest[:]))
	if t.Powers != nil {
		line += ", powers: [" + strings.Join(t.Powers, ", ") + "]"
	}
	if !t.Expires.IsZero() {
		line += fmt.Sprintf(", expires: %q", t.Day())
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	at := tableLine(lines)
	if at < 0 {
		at, lines = len(lines), append(lines, keyTokens+":")
	}
	lines[at] = strings.TrimSuffix(lines[at], " {}")
	spaces := 2
	if at+1 < len(lines) && indent(lines[at+1]) > 0 {
		spaces = indent(lines[at+1])
	}
	return changed(path, slices.Insert(lines, at+1, strings.Repeat(" ", spaces)+line+"}"), fresh, func(after map[string]Token) bool {
		return len(after) == len(file.Tokens)+1 && after[t.Name].Digest == t.Digest
	})
}

// RemoveToken returns the text of a configuration file without a token. The table stays when it is empty, so that a
// server does not begin to serve everybody.
func RemoveToken(path string, data []byte, name string, fresh func() *pflag.FlagSet) ([]byte, error) {
	file := parse(path, data, true, fresh)
	if err := file.Err(); err != nil {
		return nil, err
	}
	if _, ok := file.Tokens[name]; !ok {
		hint := diag.DidYouMean(name, file.TokenNames())
		if hint == "" {
			hint = "callsheet token list shows those that it has"
		}
		return nil, fmt.Errorf("%s has no token %q; %s", path, name, hint)
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	at := tableLine(lines)
	from := slices.IndexFunc(lines, func(l string) bool {
		return strings.HasPrefix(strings.TrimSpace(l), name+":") && l != strings.TrimSpace(l)
	})
	if at < 0 || from < at {
		return nil, errNotByLine(path)
	}
	to := from + 1
	for to < len(lines) && indent(lines[to]) > indent(lines[from]) {
		to++
	}
	lines = slices.Delete(lines, from, to)
	if len(file.Tokens) == 1 {
		lines[at] += " {}"
	}
	return changed(path, lines, fresh, func(after map[string]Token) bool {
		_, still := after[name]
		return !still && after != nil && len(after) == len(file.Tokens)-1
	})
}

// changed returns lines as a text if the file that they make has the tokens that it is to have.
func changed(path string, lines []string, fresh func() *pflag.FlagSet, isRight func(map[string]Token) bool) ([]byte, error) {
	data := []byte(strings.Join(lines, "\n") + "\n")
	if after := parse(path, data, true, fresh); after.Diags.HasErrors() || !isRight(after.Tokens) {
		return nil, errNotByLine(path)
	}
	return data, nil
}

func errNotByLine(path string) error {
	return errors.New(path + " has its tokens in a form that this command does not change; have each token begin a line of its own")
}

// tableLine returns the index of the line with which the table of tokens begins, or -1.
func tableLine(lines []string) int {
	return slices.IndexFunc(lines, func(l string) bool {
		return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(l, " \r"), "{}"), " ") == keyTokens+":"
	})
}

// indent counts the spaces with which a line begins.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
