package scope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// Entry is one line of the lock's log.
type Entry struct {
	Who, Why string
	When     time.Time           // its UTC date is written
	Drop     []string            // deferrals that are withdrawn, beside those whose tool has become live
	Tests    map[string][]string // by tool: the tests that have just proved a promoted one, each with a digest
}

const lockHeader = `# What each frozen scope promises: the tools, a hash of each one's contract, and how clients are sent it; and the digest of
# the last release's record. Written by "toolgen freeze" and "toolgen release" alone; edits by hand would promise something
# nobody decided.
`

// Freeze is the text of a lock that promises what the set is now. Tools that the old lock (nil:
// none) promised already keep their since, new ones get that of their scope; the log grows by the
// entry. It fails when the entry has no reason.
func Freeze(set *model.Toolset, old *spec.Lock, entry Entry) ([]byte, error) {
	if strings.TrimSpace(entry.Why) == "" {
		return nil, errors.New("freeze the scopes: a reason is needed")
	}
	if old == nil {
		old = &spec.Lock{}
	}
	var b bytes.Buffer
	b.WriteString(lockHeader + "version: 1\nscopes:")
	empty := true
	for _, s := range set.Scopes {
		if s.Frozen {
			empty = false
			fmt.Fprintf(&b, "\n  %s:", s.Name)
			freezeScope(&b, set, s, old)
		}
	}
	if empty {
		b.WriteString(" {}")
	}
	freezeDeferrals(&b, set, old, entry.Tests)
	freezeRefusals(&b, set)
	freezeEntries(&b, set, old)
	freezeList(&b, set)
	if r := old.Released; r.Version.Set() {
		fmt.Fprintf(&b, "\nreleased: {version: %s, record: %s}", quote(r.Version.Value), quote(r.Record.Value))
	}
	b.WriteString("\n\nlog:\n")
	for _, e := range old.Log {
		fmt.Fprintf(&b, "  - {date: %s, who: %s, why: %s%s}\n", quote(e.Date.Value), quote(e.Who.Value), quote(e.Why.Value), digestKey(e.Lock.Value))
	}
	fmt.Fprintf(&b, "  - {date: %s, who: %s, why: %s", quote(entry.When.UTC().Format(time.DateOnly)), quote(entry.Who), quote(entry.Why))
	written, diags := spec.ParseLock(spec.File{Data: append(slices.Clone(b.Bytes()), "}\n"...)})
	if diags.HasErrors() { // a defect: what is written here reads back
		return nil, fmt.Errorf("freeze the scopes: %s", diags[0].Message)
	}
	b.WriteString(digestKey(Digest(written)) + "}\n")
	return b.Bytes(), nil
}

func digestKey(digest string) string {
	if digest == "" { // an entry from before there were digests
		return ""
	}
	return ", lock: " + quote(digest)
}

// Frozen reports whether a frozen scope promises the tool.
func Frozen(t *model.Tool) bool {
	return slices.ContainsFunc(t.Scopes, func(s *model.Scope) bool { return s.Frozen })
}

func freezeScope(b *bytes.Buffer, set *model.Toolset, s *model.Scope, old *spec.Lock) {
	since := make(map[string]string)
	for _, was := range old.Scopes {
		for _, t := range was.Tools {
			if was.Name.Value == s.Name {
				since[t.Tool.Value] = t.Since.Value
			}
		}
	}
	tools := members(set, s)
	if len(tools) == 0 {
		b.WriteString(" []")
	}
	for _, t := range tools {
		from, ok := since[t.Name]
		if !ok {
			from = s.Since
		}
		fmt.Fprintf(b, "\n    - {tool: %s, schema: %s, since: %s, %s}", t.Name, quote(Hash(t)), quote(from), termsOf(t).row())
	}
}

// quote writes a text as JSON, which YAML reads as a double-quoted scalar: a hash of digits alone
// must not become a number.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(fmt.Sprintf("quote %q: %v", s, err)) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
