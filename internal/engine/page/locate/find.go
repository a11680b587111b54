package locate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

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

// FindOptions tunes a search. The zero value is ten matches, at once.
type FindOptions struct {
	// Limit is the maximum number of matches; 0 is 10.
	Limit int
	// Wait bounds the wait for a first match; 0 searches once. On a page at rest the wait ends
	// early, unless Insist is set.
	Wait   time.Duration
	Insist bool
}

// parsedQuery is a query split into words; the engine scores with it.
type parsedQuery struct {
	Phrase string   `json:"phrase"`
	Tokens []string `json:"tokens"`
	// Roles are the roles of words such as "button"; Rest is the query without those words.
	Roles      []string `json:"roles"`
	Rest       []string `json:"rest"`
	RestPhrase string   `json:"restPhrase"`
	Limit      int      `json:"limit"`
	// Pattern is a regular expression for names and texts, which then decides alone; Flags are its
	// flags.
	Pattern string `json:"pattern,omitempty"`
	Flags   string `json:"flags"`
	// Scope are the words of the row, card or item around the element, and Head is the query without
	// them.
	Scope []string     `json:"scope,omitempty"`
	Head  *parsedQuery `json:"head,omitempty"`
}

// rolesOf maps words for controls to roles, and reports whether the word may also be part of a name
// ("search", "menu").
func rolesOf(word string) (roles []string, name bool) {
	switch word {
	case "button", "buttons", "btn":
		return []string{"button", "clickable"}, false
	case "link", "links":
		return []string{"link"}, false
	case "field", "input", "textbox", "textfield", "textarea":
		return []string{"textbox", "searchbox", "combobox", "spinbutton", "date", "time", "color"}, false
	case "checkbox", "checkboxes":
		return []string{"checkbox", "menuitemcheckbox"}, false
	case "radio":
		return []string{"radio", "menuitemradio"}, false
	case "switch", "toggle":
		return []string{"switch", "checkbox", "button"}, true
	case "dropdown", "select", "combobox", "picker":
		return []string{"combobox", "listbox", "date", "color"}, false
	case "tab", "tabs":
		return []string{"tab"}, false
	case "heading", "headline":
		return []string{"heading"}, false
	case "image", "img", "picture", "logo":
		return []string{"img"}, word == "logo"
	case "slider":
		return []string{"slider"}, false
	case "icon":
		return []string{"img", "button", "link", "clickable"}, false
	case "menuitem":
		return []string{"menuitem"}, false
	case "option":
		return []string{"option"}, true
	case "menu":
		return []string{"menu", "menubar"}, true
	case "search":
		return []string{"searchbox"}, true
	case "dialog", "popup", "modal":
		return []string{"dialog", "alertdialog"}, true
	case "table":
		return []string{"table", "grid"}, true
	case "row":
		return []string{"row"}, true
	case "cell":
		return []string{"cell", "gridcell"}, true
	default:
		return nil, false
	}
}

// parseQuery splits a query into lower-case words of letters and digits.
func parseQuery(query string) parsedQuery {
	phrase := strings.Join(strings.Fields(strings.ToLower(query)), " ")
	s := parsedQuery{Phrase: phrase, Tokens: []string{}, Roles: []string{}, Rest: []string{}}
	separates := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	s.Tokens = append(s.Tokens, strings.FieldsFunc(phrase, separates)...)
	for _, token := range s.Tokens {
		roles, name := rolesOf(token)
		for _, role := range roles {
			if !slices.Contains(s.Roles, role) {
				s.Roles = append(s.Roles, role)
			}
		}
		if len(roles) == 0 || name {
			s.Rest = append(s.Rest, token)
		}
	}
	s.RestPhrase = strings.Join(s.Rest, " ")
	return s
}

// scopePattern finds the place in a query: `Delete in row "Name 3"`, `Edit for "Ann"`.
var scopePattern = regexp.MustCompile(`(?i)^(.+?),? (?:in|of|for|on|at) (?:(?:the )?(?:row|item|entry|line|card)(?: of| for| with| named)? (.+)|["“](.+)["”])$`)

// parseScopedQuery is parseQuery for a query that may name a place.
func parseScopedQuery(query string) parsedQuery {
	q := parseQuery(query)
	parts := scopePattern.FindStringSubmatch(strings.Join(strings.Fields(query), " "))
	if parts == nil {
		return q
	}
	head, place := parseQuery(parts[1]), parseQuery(parts[2]+parts[3])
	if len(head.Tokens) > 0 && len(place.Tokens) > 0 {
		q.Head, q.Scope = &head, place.Tokens
	}
	return q
}

// regexpOf returns the pattern between slashes, and whether the flag i follows it.
func regexpOf(query string) (pattern, flags string, ok bool) {
	pattern, ok = strings.CutPrefix(query, "/")
	if ok && strings.HasSuffix(pattern, "/i") {
		flags = "i"
		pattern = pattern[:len(pattern)-1]
	}
	pattern, closed := strings.CutSuffix(pattern, "/")
	return pattern, flags, ok && closed && pattern != ""
}

// Find searches the visible elements for words: an equal name ranks before a name that contains the
// words, and that before names with some of them. Words for kinds of controls ("submit button") add
// to the score, controls rank before text, and equal scores keep document order. A row and a column
// ("Name 3 Qty") name a cell, "in row Name 3" and words beside a control ("Delete Name 3") tell equal
// controls apart. A query between slashes is a regular expression for names and texts, in the case
// that it is written in unless the flag i follows. No match is an empty list and no error.
func (l *Locator) Find(ctx context.Context, query string, o FindOptions) ([]Match, error) {
	found, err := l.Search(ctx, query, o)
	return found.Matches, err
}

// Found is the best matches of a search, and how many there are.
type Found struct {
	Matches []Match
	Total   int
}

// Search is [Locator.Find] with the number of all matches.
func (l *Locator) Search(ctx context.Context, query string, o FindOptions) (Found, error) {
	q := parseScopedQuery(query)
	if pattern, flags, ok := regexpOf(query); ok {
		if _, err := regexp.Compile(pattern); err != nil {
			return Found{}, &document.BadSelectorError{Selector: query, Reason: err.Error()}
		}
		q = parsedQuery{Pattern: pattern, Flags: flags, Tokens: []string{}, Roles: []string{}, Rest: []string{}}
	}
	q.Limit = o.Limit
	if q.Limit <= 0 {
		q.Limit = 10
	}
	if len(q.Tokens) == 0 && q.Pattern == "" {
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
			return Found{}, fmt.Errorf("finding %q: %w", query, l.doc.Translate(ctx, "", err))
		}
		left := time.Until(end)
		if len(found.Matches) > 0 && !found.Matches[0].Partial || left <= 0 {
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

// partialTimeout bounds the wait for an element that has all words of a query while another has some
// of them.
const partialTimeout = 700 * time.Millisecond

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// findOnce merges the matches of all documents: best first, the page before its frames.
func (l *Locator) findOnce(ctx context.Context, q parsedQuery) (Found, error) {
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
			off, err := l.doc.FrameOffset(ctx, w)
			if err != nil {
				return nil // the frame left the page
			}
			for i := range found.Matches {
				found.Matches[i].Box = found.Matches[i].Box.Shifted(off)
			}
		}
		all, total = append(all, found.Matches...), total+found.Total
		return nil
	})
	slices.SortStableFunc(all, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return Found{all[:min(len(all), q.Limit)], total}, err
}
