package locate

import (
	"slices"
	"strings"
	"testing"
)

func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"submit button", "Search field", "  größe\t", "日本 ボタン", "🙂", "\xff", "menu menu", "e-mail"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		s := parseQuery(query)
		for _, token := range append(slices.Clone(s.Tokens), s.Rest...) {
			if token == "" || strings.ContainsAny(token, " \t\n.,") {
				t.Fatalf("%q: token %q", query, token)
			}
		}
		if len(s.Rest) > len(s.Tokens) || s.RestPhrase != strings.Join(s.Rest, " ") {
			t.Fatalf("%q: rest %q of %q", query, s.Rest, s.Tokens)
		}
		sorted := slices.Clone(s.Roles)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != len(s.Roles) {
			t.Fatalf("%q: roles %q repeat", query, s.Roles)
		}
	})
}
