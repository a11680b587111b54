package page

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
)

// FindOptions tunes a search. The zero value is ten matches, at once.
type FindOptions struct {
	// Limit is the maximum number of matches; 0 is 10.
	Limit int
	// Wait is how long to wait for a first match; 0 searches once. On a page at rest the wait ends
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
	// Pattern is a regular expression for names and texts, which then decides alone.
	Pattern string `json:"pattern,omitempty"`
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

// regexpOf returns the pattern between slashes.
func regexpOf(query string) (string, bool) {
	if len(query) > 2 && query[0] == '/' && query[len(query)-1] == '/' {
		return query[1 : len(query)-1], true
	}
	return "", false
}

// Find searches the visible elements for words: an equal name ranks before a name that contains the
// words, and that before names with some of them. Words for kinds of controls ("submit button") add
// to the score, controls rank before text, and equal scores keep document order. A query between
// slashes is a regular expression for names and texts, in any case. No match is an empty list and
// no error.
func (p *Page) Find(ctx context.Context, query string, o FindOptions) ([]Match, error) {
	q := parseQuery(query)
	if pattern, ok := regexpOf(query); ok {
		if _, err := regexp.Compile(pattern); err != nil {
			return nil, &BadSelectorError{Selector: query, Reason: err.Error()}
		}
		q.Pattern = pattern
	}
	q.Limit = o.Limit
	if q.Limit <= 0 {
		q.Limit = 10
	}
	if len(q.Tokens) == 0 && q.Pattern == "" {
		return nil, fmt.Errorf("finding %q: the query has no words", query)
	}
	end := time.Now().Add(o.Wait)
	for {
		var found []Match
		since, err := p.domGeneration(ctx)
		if err != nil {
			return nil, fmt.Errorf("finding %q: %w", query, err)
		}
		if found, err = p.findOnce(ctx, q); err != nil {
			return nil, fmt.Errorf("finding %q: %w", query, p.translate(ctx, "", err))
		}
		left := time.Until(end)
		if len(found) > 0 || left <= 0 {
			return found, nil
		}
		if !o.Insist {
			if rest, err := p.isAtRest(ctx); err == nil && rest {
				return found, nil
			}
		}
		if err := p.waitForChange(ctx, since, min(left, pollInterval)); err != nil {
			return nil, fmt.Errorf("finding %q: %w", query, err)
		}
	}
}

// findOnce merges the matches of all documents: best first, the page before its frames.
func (p *Page) findOnce(ctx context.Context, q parsedQuery) ([]Match, error) {
	var all []Match
	err := p.evaluateAll(ctx, "find", q, func(w *world, result json.RawMessage) error {
		if w.parent == nil {
			all = nil // the search begins anew in another document
		}
		var found struct {
			Matches []Match `json:"matches"`
		}
		if err := json.Unmarshal(result, &found); err != nil {
			return fmt.Errorf("reading the matches: %w", err)
		}
		if w.parent != nil && len(found.Matches) > 0 {
			off, err := p.frameOffset(ctx, w)
			if err != nil {
				return nil // the frame left the page
			}
			for i := range found.Matches {
				found.Matches[i].Box = found.Matches[i].Box.shifted(off)
			}
		}
		all = append(all, found.Matches...)
		return nil
	})
	slices.SortStableFunc(all, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(len(all), q.Limit)], err
}
