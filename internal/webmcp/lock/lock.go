package lock

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Bounds of a lock. A page that offers more is refused, so that the file stays one that a person can read.
const (
	MaxTools    = 256      // of one origin
	MaxOrigins  = 1024     // of one file
	MaxFileSize = 16 << 20 // bytes
	MaxReason   = 500      // characters of a reason or a name of a person
)

// Entry is a tool as it was allowed.
type Entry struct {
	Tool
	FirstSeen time.Time `json:"first_seen"` // when a tool of the name was first allowed for the origin
	AllowedAt time.Time `json:"allowed_at"` // when the tool as it stands here was allowed
	AllowedBy string    `json:"allowed_by"` // a person, or a rule of a policy
	Why       string    `json:"why,omitempty"`
}

// Lock is the content of a file. The zero value is that of a file which does not exist.
type Lock struct {
	origins map[string]map[string]Entry // by origin and name
}

// Origins returns the origins with tools, sorted.
func (l *Lock) Origins() []string { return slices.Sorted(maps.Keys(l.origins)) }

// Entries returns the tools of an origin by name; none for an unknown one.
func (l *Lock) Entries(origin string) []Entry {
	tools := l.origins[origin]
	return slicesx.List(slices.Sorted(maps.Keys(tools)), func(name string) Entry { return tools[name] })
}

// Entry returns a tool of an origin.
func (l *Lock) Entry(origin, name string) (Entry, bool) {
	e, ok := l.origins[origin][name]
	return e, ok
}

// OriginError says why an origin has no lock.
type OriginError struct{ Origin string }

func (e *OriginError) Error() string {
	return fmt.Sprintf("%q has no lock: only http and https origins are the same again after a reload", e.Origin)
}

// Code implements fault.Coded.
func (*OriginError) Code() codes.Code { return codes.PageToolUnusable }

// Fields implements fault.Coded.
func (e *OriginError) Fields() []fault.Field {
	return []fault.Field{{Name: "reason", Value: "its document has no origin that lasts"}}
}

// maxOrigin bounds an origin, in bytes.
const maxOrigin = 512

// CheckOrigin returns an *OriginError unless the text is an http or https origin as browsers write it.
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || len(origin) > maxOrigin || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || origin != u.Scheme+"://"+strings.ToLower(u.Host) {
		return &OriginError{origin[:min(len(origin), maxOrigin)]}
	}
	return nil
}

// Acceptance is a decision of a person about tools of an origin.
type Acceptance struct {
	Origin string
	Tools  []Tool // as they were shown to the person
	By     string // who allows them; not empty
	Why    string // "" without a reason
	At     time.Time
}

// accept enters tools, and returns the names of those that are new or changed, in the order of the tools. It
// changes nothing where it returns an error.
func (l *Lock) accept(a Acceptance) ([]string, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	before := l.origins[a.Origin]
	after := maps.Clone(before)
	if after == nil {
		after = map[string]Entry{}
	}
	var changed []string
	for _, t := range a.Tools {
		t.InputSchema, t.OutputSchema = compact(t.InputSchema), compact(t.OutputSchema)
		was, known := before[t.Name]
		if known && was.equal(t) {
			continue
		}
		e := Entry{Tool: t, FirstSeen: a.At.UTC(), AllowedAt: a.At.UTC(), AllowedBy: a.By, Why: a.Why}
		if known {
			e.FirstSeen = was.FirstSeen
		}
		after[t.Name] = e
		changed = append(changed, t.Name)
	}
	switch {
	case len(after) > MaxTools:
		return nil, fmt.Errorf("lock %s: %d tools, and at most %d of one origin are kept", a.Origin, len(after), MaxTools)
	case before == nil && len(l.origins) >= MaxOrigins:
		return nil, fmt.Errorf("lock %s: the file has %d origins, and no more are kept; remove one", a.Origin, len(l.origins))
	case len(changed) == 0:
		return nil, nil
	}
	if l.origins == nil {
		l.origins = map[string]map[string]Entry{}
	}
	l.origins[a.Origin] = after
	return changed, nil
}

// check returns why a decision cannot be entered.
func (a Acceptance) check() error {
	if err := CheckOrigin(a.Origin); err != nil {
		return err
	}
	if a.By == "" {
		return fmt.Errorf("lock %s: who allows it is missing", a.Origin)
	}
	for _, s := range []string{a.By, a.Why} {
		if len([]rune(s)) > MaxReason {
			return fmt.Errorf("lock %s: a reason or name has more than %d characters", a.Origin, MaxReason)
		}
	}
	seen := map[string]bool{}
	for _, t := range a.Tools {
		if err := t.Check(); err != nil {
			return fmt.Errorf("lock %s: %.128q: %w", a.Origin, t.Name, err)
		}
		if seen[t.Name] {
			return fmt.Errorf("lock %s: two documents offer %s, and a lock has one of a name", a.Origin, t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

// forget removes tools of an origin, or all of them where no name is given, and returns the names.
func (l *Lock) forget(origin string, names []string) []string {
	tools := maps.Clone(l.origins[origin])
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(tools))
	}
	var gone []string
	for _, name := range names {
		if _, ok := tools[name]; ok {
			delete(tools, name)
			gone = append(gone, name)
		}
	}
	switch {
	case len(gone) == 0:
	case len(tools) == 0:
		delete(l.origins, origin)
	default:
		l.origins[origin] = tools
	}
	return gone
}
