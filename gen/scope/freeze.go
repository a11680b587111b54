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
	When     time.Time // its UTC date is written
	Drop     []string  // deferrals that are withdrawn, beside those whose tool has become live
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
	freezeDeferrals(&b, set, old)
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

// freezeDeferrals writes who is deferred, and who was: a promoted tool stays bound to its threat
// model for good. A tool on its way to promotion is live in an open scope, and stays among the
// deferred until a frozen scope promises it.
func freezeDeferrals(b *bytes.Buffer, set *model.Toolset, old *spec.Lock) {
	var deferred, promoted []string
	for _, d := range set.Deferrals {
		if d.Scope.Frozen {
			deferred = append(deferred, deferralRow(d.Name, d.Scope.Name, d.Since))
		}
	}
	sort := func(known []spec.LockedDeferral, unpromised *[]string) {
		for _, d := range known {
			row := deferralRow(d.Tool.Value, d.Scope.Value, d.Since.Value)
			i := slices.IndexFunc(set.Tools, func(t *model.Tool) bool { return named(t, d.Tool.Value) })
			switch {
			case i < 0:
			case Frozen(set.Tools[i]):
				promoted = append(promoted, row)
			default:
				*unpromised = append(*unpromised, row)
			}
		}
	}
	sort(old.Promoted, &promoted)
	sort(old.Deferred, &deferred)
	slices.Sort(promoted)
	writeRows(b, "deferred", deferred)
	writeRows(b, "promoted", promoted)
}

func deferralRow(tool, scope, since string) string {
	return fmt.Sprintf("\n  - {tool: %s, scope: %s, since: %s}", tool, scope, quote(since))
}

func writeRows(b *bytes.Buffer, key string, rows []string) {
	if len(rows) > 0 {
		b.WriteString("\n" + key + ":" + strings.Join(rows, ""))
	}
}

// named reports whether the tool has the name, or had it.
func named(t *model.Tool, name string) bool { return t.Name == name || slices.Contains(t.Was, name) }

// Frozen reports whether a frozen scope promises the tool.
func Frozen(t *model.Tool) bool {
	return slices.ContainsFunc(t.Scopes, func(s *model.Scope) bool { return s.Frozen })
}

// Promoted lists the live tools that the lock has known as deferred and that a frozen scope would
// promise: those of earlier freezes, and those that the next one would add.
func Promoted(set *model.Toolset, lock *spec.Lock) (all, fresh []*model.Tool) {
	if lock == nil {
		return nil, nil
	}
	was := func(rows []spec.LockedDeferral, name string) bool {
		return slices.ContainsFunc(rows, func(d spec.LockedDeferral) bool { return d.Tool.Value == name })
	}
	for _, t := range set.Tools {
		if !Frozen(t) {
			continue
		}
		for _, name := range append([]string{t.Name}, t.Was...) {
			if was(lock.Deferred, name) {
				fresh = append(fresh, t)
			}
			if was(lock.Deferred, name) || was(lock.Promoted, name) {
				all = append(all, t)
				break
			}
		}
	}
	return all, fresh
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
