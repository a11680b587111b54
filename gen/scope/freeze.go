package scope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// Entry is one line of the lock's log.
type Entry struct {
	Who, Why string
	When     time.Time // its UTC date is written
}

const lockHeader = `# What each frozen scope promises: the tools, and a hash of each one's contract. Written by "toolgen freeze" alone; edits
# by hand would promise something nobody decided.
`

// Freeze is the text of a lock that promises what the set is now. Tools that the old lock (nil: none) promised already
// keep their since, new ones get that of their scope; the log grows by the entry. It fails when the entry has no reason.
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
	b.WriteString("\n\nlog:\n")
	for _, e := range old.Log {
		fmt.Fprintf(&b, "  - {date: %s, who: %s, why: %s}\n", quote(e.Date.Value), quote(e.Who.Value), quote(e.Why.Value))
	}
	fmt.Fprintf(&b, "  - {date: %s, who: %s, why: %s}\n", quote(entry.When.UTC().Format(time.DateOnly)), quote(entry.Who), quote(entry.Why))
	return b.Bytes(), nil
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
		fmt.Fprintf(b, "\n    - {tool: %s, schema: %s, since: %s}", t.Name, quote(Hash(t)), quote(from))
	}
}

// quote writes a text as JSON, which YAML reads as a double-quoted scalar: a hash of digits alone must not become a
// number.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(fmt.Sprintf("quote %q: %v", s, err)) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
