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
	Tests    map[string][]string // by tool: the tests that have just proved a promoted one, each with a digest
}

const lockHeader = `# What each frozen scope promises: the tools, a hash of each one's contract, and how clients are sent it; the digest of the
# last release's record; and who decided each row. Written by "toolgen freeze" and "toolgen release" alone; edits by hand
# would promise something nobody decided. Rows stand apart so that changes of two of them merge.
`

// writer writes the rows of a lock. A row that the old lock has keeps its decision, any other gets the entry's.
type writer struct {
	bytes.Buffer

	kept map[string]spec.Decision // by the words of the row
	now  spec.Decision
}

func newWriter(old *spec.Lock, entry Entry) *writer {
	text := func(s string) spec.Text { return spec.Text{Value: s} }
	w := &writer{kept: map[string]spec.Decision{}, now: spec.Decision{Date: text(entry.When.UTC().Format(time.DateOnly)), Who: text(entry.Who), Why: text(entry.Why)}}
	for _, r := range rowsOf(old) {
		if r.isSigned() {
			w.kept[encode(r.words)] = r.decided
		}
	}
	return w
}

// signed returns a row with its decision.
func (w *writer) signed(body string, words ...string) string {
	d, ok := w.kept[encode(words)]
	if !ok {
		d = w.now
	}
	return fmt.Sprintf("{%s, date: %s, who: %s, why: %s, digest: %s}", body, quote(d.Date.Value), quote(d.Who.Value), quote(d.Why.Value), quote(sign(words, d)))
}

// rows writes a list of rows under a key; nothing without rows.
func (w *writer) rows(key string, rows []string) {
	if len(rows) > 0 {
		w.WriteString("\n" + key + ":\n  - " + strings.Join(rows, "\n\n  - ") + "\n")
	}
}

// Freeze is the text of a lock that promises what the set is now. Tools that the old lock (nil:
// none) promised already keep their since, new ones get that of their scope; a row that is new or changed has
// the entry as its decision. It fails when the entry has no reason.
func Freeze(set *model.Toolset, old *spec.Lock, entry Entry) ([]byte, error) {
	if strings.TrimSpace(entry.Why) == "" {
		return nil, errors.New("freeze the scopes: a reason is needed")
	}
	if old == nil {
		old = &spec.Lock{}
	}
	w := newWriter(old, entry)
	w.WriteString(lockHeader + fmt.Sprintf("version: %d\nscopes:", spec.SignedRows))
	empty := true
	for _, s := range set.Scopes {
		if s.Frozen {
			empty = false
			fmt.Fprintf(w, "\n  %s:", s.Name)
			w.scope(set, s, old)
		}
	}
	if empty {
		w.WriteString(" {}")
	}
	w.WriteString("\n")
	w.deferrals(set, old, entry.Tests)
	w.declared("refusals", refusals(set))
	w.declared("parts", parts(set))
	w.entries(set, old)
	if style := set.List.String(); style != "" {
		fmt.Fprintf(w, "\nlist: %s\n", w.signed("style: "+quote(style), "list", style))
	}
	if r := old.Released; r.Version.Set() {
		version, record := r.Version.Value, r.Record.Value
		fmt.Fprintf(w, "\nreleased: %s\n", w.signed(fmt.Sprintf("version: %s, record: %s", quote(version), quote(record)), "released", version, record))
	}
	written, diags := spec.ParseLock(spec.File{Name: "lock", Data: w.Bytes()})
	if diags.HasErrors() { // a defect: what is written here reads back
		return nil, fmt.Errorf("freeze the scopes: %s", diags[0].Message)
	}
	if digest := remember(written); digest != "" {
		fmt.Fprintf(w, "\nremembered: %s\n", quote(digest))
	}
	return w.Bytes(), nil
}

// Frozen reports whether a frozen scope promises the tool.
func Frozen(t *model.Tool) bool {
	return slices.ContainsFunc(t.Scopes, func(s *model.Scope) bool { return s.Frozen })
}

// scope writes the tools of a frozen scope.
func (w *writer) scope(set *model.Toolset, s *model.Scope, old *spec.Lock) {
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
		w.WriteString(" []")
	}
	for i, t := range tools {
		from, ok := since[t.Name]
		if !ok {
			from = s.Since
		}
		if i > 0 {
			w.WriteString("\n")
		}
		terms := termsOf(t)
		body := fmt.Sprintf("tool: %s, schema: %s, since: %s, %s", t.Name, quote(Hash(t)), quote(from), terms.row())
		w.WriteString("\n    - " + w.signed(body, toolWords(s.Name, t.Name, Hash(t), from, terms)...))
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
