package locate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/fault"
)

// Locator finds elements of one tab's document.
type Locator struct {
	doc    *document.Document
	settle *settle.Waiter
}

// New makes the locator of a document.
func New(d *document.Document, w *settle.Waiter) *Locator { return &Locator{doc: d, settle: w} }

// Want says which elements a query may mean.
type Want string

// The elements that a query may mean.
const (
	WantAny     Want = ""
	WantField   Want = "field"   // what takes a value
	WantPressed Want = "pressed" // buttons, links and what else a click presses
)

// FindOptions tunes a search. The zero value is ten matches of any kind, at once.
type FindOptions struct {
	// Limit is the maximum number of matches; 0 is 10.
	Limit int
	Want  Want
	// Wait bounds the wait for a first match; 0 searches once. On a page at rest the wait ends
	// early, unless Insist is set.
	Wait   time.Duration
	Insist bool
	// Around asks for the neighbours of each match.
	Around bool
}

// Find searches the visible elements for words, best first: those that the words name, in the order of
// the rules of [Locator.Name], then those that resemble them. A query between slashes is a regular
// expression for names and texts, in the case that it is written in unless the flag i follows. No match
// is an empty list and no error.
func (l *Locator) Find(ctx context.Context, query string, o FindOptions) ([]Match, error) {
	found, err := l.Search(ctx, query, o)
	return found.Matches, err
}

// Found is the best matches of a search, and how many there are.
type Found struct {
	Matches []Match
	Total   int
}

// findQuery is the argument of the search in a document.
type findQuery struct {
	Query string `json:"query"`
	Limit int    `json:"limit"`
	Want  Want   `json:"want"`

	Around bool `json:"around,omitempty"`
}

// Search is [Locator.Find] with the number of all matches.
func (l *Locator) Search(ctx context.Context, query string, o FindOptions) (Found, error) {
	q := findQuery{Query: query, Limit: o.Limit, Want: o.Want, Around: o.Around}
	if q.Limit <= 0 {
		q.Limit = 10
	}
	if strings.TrimSpace(query) == "" {
		return Found{}, fault.New(codes.Failed, fmt.Sprintf("finding %q: the query has no words", query))
	}
	begun := time.Now()
	end := begun.Add(o.Wait)
	for {
		var found Found
		since, err := l.settle.DOMGeneration(ctx)
		if err != nil {
			return Found{}, fmt.Errorf("finding %q: %w", query, err)
		}
		if found, err = l.findOnce(ctx, q); err != nil {
			return Found{}, fmt.Errorf("finding %q: %w", query, document.NameSelector(l.doc.Translate(ctx, "", err), query))
		}
		left := time.Until(end)
		if len(found.Matches) > 0 && !found.Matches[0].Partial() || left <= 0 {
			return found, nil
		}
		if !o.Insist {
			if rest, err := l.settle.IsAtRest(ctx); err == nil && rest {
				return found, nil
			}
		}
		if len(found.Matches) > 0 { // what is meant may be about to come
			end = minTime(end, begun.Add(partialTimeout))
		}
		if err := l.settle.WaitForChange(ctx, since, min(left, settle.PollInterval)); err != nil {
			return Found{}, fmt.Errorf("finding %q: %w", query, err)
		}
	}
}

// partialTimeout bounds the wait for an element that a query names while others resemble it.
const partialTimeout = 700 * time.Millisecond

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// findOnce merges the matches of all documents: best first, the page before its frames.
func (l *Locator) findOnce(ctx context.Context, q findQuery) (Found, error) {
	var all []Match
	total := 0
	err := l.doc.EvaluateAll(ctx, "find", q, func(w *document.World, result json.RawMessage) error {
		if w.Parent == nil {
			all, total = nil, 0 // the search begins anew in another document
		}
		var found struct {
			Matches []Match `json:"matches"`
			Total   int     `json:"total"`
		}
		if err := json.Unmarshal(result, &found); err != nil {
			return fmt.Errorf("reading the matches: %w", err)
		}
		if w.Parent != nil && len(found.Matches) > 0 {
			to, err := l.doc.FrameTransform(ctx, w)
			if err != nil {
				return nil // the frame left the page
			}
			for i := range found.Matches {
				found.Matches[i].Box = found.Matches[i].Box.In(to)
			}
		}
		all, total = append(all, found.Matches...), total+found.Total
		return nil
	})
	slices.SortStableFunc(all, compareMatches)
	return Found{all[:min(len(all), q.Limit)], total}, err
}

// compareMatches orders by rule, then by layer, then by what tells equal matches apart.
func compareMatches(a, b Match) int {
	return cmp.Or(cmp.Compare(math.Floor(a.Tier), math.Floor(b.Tier)), cmp.Compare(b.Layer, a.Layer),
		cmp.Compare(a.Tier, b.Tier), cmp.Compare(b.Score, a.Score))
}

// maxNamed is the number of matches that decide whether a name is unique.
const maxNamed = 20

// Name returns the one element that words name; whatever acts uses it. The rules stand in
// docs/reference/reading.md: the name of the element has all words, or the words say its name and its
// place. It is a [NoMatchError] where no element is named so, however alike one is, and an
// [AmbiguousError] where several are.
func (l *Locator) Name(ctx context.Context, query string, o FindOptions) (Match, error) {
	o.Limit = maxNamed
	found, err := l.Find(ctx, query, o)
	if err != nil {
		return Match{}, err
	}
	if len(found) == 0 || found[0].Partial() {
		return Match{}, &NoMatchError{Query: query, Nearest: rendered(found, 3)}
	}
	equal := slices.DeleteFunc(found, func(m Match) bool { return compareMatches(found[0], m) != 0 && m.Ref != found[0].Ref })
	if len(equal) == 1 {
		return equal[0], nil
	}
	return Match{}, &AmbiguousError{Query: query, Ref: equal[0].Ref, Candidates: rendered(equal, 5)}
}

// IsSelector reports a selector in the place of a ref.
func IsSelector(ref string) bool { return !document.IsRef(ref) && strings.ContainsAny(ref, "=:>") }

// Ref returns a ref as it is, and for a selector in its place the ref of the one element that it names.
func (l *Locator) Ref(ctx context.Context, ref string) (string, error) {
	if !IsSelector(ref) {
		return ref, nil
	}
	m, err := l.Name(ctx, ref, FindOptions{Wait: selectorTimeout})
	return m.Ref, err
}

// selectorTimeout bounds the wait for the element of a selector.
const selectorTimeout = 3 * time.Second

// rendered renders the first matches, each with its place.
func rendered(found []Match, most int) []string {
	lines := make([]string, min(len(found), most))
	for i := range lines {
		lines[i] = found[i].String()
	}
	return lines
}
