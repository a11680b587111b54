package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
)

// setCookies sets the cookies of a text; see [cookiesIn].
func setCookies(ctx context.Context, p power.Storage, tab *browser.Tab, text string) (string, error) {
	all, host, err := cookiesIn(text)
	if err != nil {
		return "", err
	}
	here := ""
	if u, err := url.Parse(tab.URL()); err == nil {
		here = u.Hostname()
	}
	if host != "" && !strings.EqualFold(host, here) {
		return "", malformed("the line asks %s, and the tab is at %q: open that site first", host, here)
	}
	names := make([]string, len(all))
	for i, c := range all {
		if strings.EqualFold(c.Domain, here) {
			c.Domain = "" // of this host alone
		}
		if err := webstorage.SetCookie(ctx, tab, p, c); err != nil {
			return "", fmt.Errorf("%s, after %d of %d cookies: %w", c.Name, i, len(all), err)
		}
		names[i] = c.Name
	}
	return fmt.Sprintf("set %d: %s", len(names), strings.Join(names, ", ")), nil
}

// cookiesIn reads the cookies of a cURL command line, of a Cookie header with or without its name, or of JSON: an
// array of cookies, an object that has one as cookies, or values by name. host is the one that a command line asks.
func cookiesIn(text string) (all []webstorage.Cookie, host string, err error) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{"):
		all, err = cookiesInJSON(text)
	case strings.HasPrefix(text, "curl"):
		all, host = cookiesInCURL(text)
	default:
		all = cookiesInHeader(text)
	}
	if err == nil && len(all) == 0 {
		err = malformed("from has no cookie: it is a cURL command line, a Cookie header or JSON")
	}
	return all, host, err
}

func cookiesInHeader(text string) (all []webstorage.Cookie) {
	if name, rest, _ := strings.Cut(text, ":"); strings.EqualFold(name, "cookie") {
		text = rest
	}
	for pair := range strings.SplitSeq(text, ";") {
		if name, value, ok := strings.Cut(strings.TrimSpace(pair), "="); ok && name != "" {
			all = append(all, webstorage.Cookie{Name: name, Value: value, Path: "/"})
		}
	}
	return all
}

// cookiesInCURL reads the Cookie headers and the options -b and --cookie of a command line, and the host that it asks.
func cookiesInCURL(text string) (all []webstorage.Cookie, host string) {
	words := shellWords(text)
	for i, word := range words[1:] {
		before := words[i]
		option, value, joined := strings.Cut(word, "=")
		switch {
		case before == "-b" || before == "--cookie":
			all = append(all, cookiesInHeader(word)...)
		case joined && option == "--cookie":
			all = append(all, cookiesInHeader(value)...)
		case (before == "-H" || before == "--header") && strings.HasPrefix(strings.ToLower(word), "cookie:"):
			all = append(all, cookiesInHeader(word)...)
		case strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://"):
			if u, err := url.Parse(word); err == nil && host == "" {
				host = u.Hostname()
			}
		}
	}
	return all, host
}

// shellWords splits a command line as a shell does: with quotes, $'…', and line ends after a backslash or a caret.
func shellWords(text string) (words []string) {
	var word strings.Builder
	quote, inWord := rune(0), false
	runes := []rune(strings.NewReplacer("\\\r\n", " ", "\\\n", " ", "^\r\n", " ", "^\n", " ").Replace(text))
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && quote == '$':
			if v, _, tail, err := strconv.UnquoteChar(string(runes[i:]), '\''); err == nil {
				word.WriteRune(v)
				i = len(runes) - utf8.RuneCountInString(tail) - 1
			}
		case r == '\\' && quote != '\'' && i+1 < len(runes):
			i++
			word.WriteRune(runes[i])
		case quote != 0 && r == quote || quote == '$' && r == '\'':
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '$' && i+1 < len(runes) && runes[i+1] == '\'':
			i++
			quote, inWord = '$', true
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if inWord || word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
		}
	}
	return append(words, word.String())
}

// jsonCookie is a cookie as browsers' extensions and Playwright write it.
type jsonCookie struct {
	Name, Value, Domain, Path, SameSite string

	Secure, HTTPOnly        bool
	Expires, ExpirationDate float64 // in Unix seconds; less than 1 for a session cookie
}

func cookiesInJSON(text string) (all []webstorage.Cookie, err error) {
	var list []jsonCookie
	var state struct{ Cookies []jsonCookie }
	var values map[string]string
	if json.Unmarshal([]byte(text), &list) != nil {
		if json.Unmarshal([]byte(text), &values) == nil {
			for name, value := range values {
				list = append(list, jsonCookie{Name: name, Value: value})
			}
		} else if err := json.Unmarshal([]byte(text), &state); err != nil {
			return nil, malformed("from is no JSON of cookies: %v", err)
		}
	}
	for _, j := range append(list, state.Cookies...) {
		c := webstorage.Cookie{Name: j.Name, Value: j.Value, Domain: j.Domain, Path: j.Path, Secure: j.Secure, HTTPOnly: j.HTTPOnly}
		if c.Path == "" {
			c.Path = "/"
		}
		if c.SameSite, err = sameSite(j.SameSite); err != nil {
			c.SameSite = map[string]string{"no_restriction": "None"}[j.SameSite] // or unspecified
		}
		if at := max(j.Expires, j.ExpirationDate); at >= 1 {
			c.Expires = time.UnixMilli(int64(at * 1000))
		}
		if c.Name == "" {
			return nil, malformed("from has a cookie without a name")
		}
		all = append(all, c)
	}
	return all, nil
}
