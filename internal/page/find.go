package page

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// FindOptions tunes a search. The zero value is ten matches, at once.
type FindOptions struct {
	// Limit is the most matches; 0 is 10.
	Limit int
	// Wait is how long to wait for a first match; 0 looks once.
	Wait time.Duration
}

// search is a query taken apart; the engine scores with it.
type search struct {
	Phrase string   `json:"phrase"`
	Tokens []string `json:"tokens"`
	// Roles are what words such as "button" ask for; Rest is the query
	// without those words.
	Roles      []string `json:"roles"`
	Rest       []string `json:"rest"`
	RestPhrase string   `json:"restPhrase"`
	Limit      int      `json:"limit"`
}

// rolesOf maps the words people use for controls to roles, and says whether
// the word may as well be part of a name ("search", "menu").
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

// parseQuery takes a query apart into lower-case words of letters and digits.
func parseQuery(query string) search {
	s := search{Phrase: strings.Join(strings.Fields(strings.ToLower(query)), " "), Tokens: []string{}, Roles: []string{}, Rest: []string{}}
	s.Tokens = append(s.Tokens, strings.FieldsFunc(s.Phrase, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
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

// Find searches what a person can see for words: the same name before a name
// that contains them, before names with some of them; words for kinds of
// controls ("submit button") weigh in, controls come before text, and equal
// scores keep document order. No match is an empty answer, not an error.
func (p *Page) Find(ctx context.Context, query string, o FindOptions) ([]Match, error) {
	q := parseQuery(query)
	q.Limit = o.Limit
	if q.Limit <= 0 {
		q.Limit = 10
	}
	if len(q.Tokens) == 0 {
		return nil, fmt.Errorf("finding %q: the query has no words", query)
	}
	end := time.Now().Add(o.Wait)
	for {
		var found struct {
			Matches []Match `json:"matches"`
		}
		since, err := p.generation(ctx)
		if err != nil {
			return nil, fmt.Errorf("finding %q: %w", query, err)
		}
		if err := p.askAgain(ctx, "find", q, &found); err != nil {
			return nil, fmt.Errorf("finding %q: %w", query, p.refuse(ctx, "", err))
		}
		left := time.Until(end)
		if len(found.Matches) > 0 || left <= 0 {
			return found.Matches, nil
		}
		if err := p.awaitChange(ctx, since, min(left, heartbeat)); err != nil {
			return nil, fmt.Errorf("finding %q: %w", query, err)
		}
	}
}
