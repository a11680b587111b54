package secret_test

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/internal/login/secret"
)

// TestRedactValuesEncodedTwice redacts forms of a value within addresses and selectors.
func TestRedactValuesEncodedTwice(t *testing.T) {
	const value = `7&b "o~?+é`
	v := vault(t, map[string]string{"PW": value})
	for _, text := range []string{
		url.QueryEscape(url.QueryEscape(value)), url.QueryEscape(html.EscapeString(value)), url.PathEscape(`{\"p\":\"7&b \"o~?+é\"}`),
		"abcd" + url.QueryEscape("NyZiICJvfj8rw6k") + "=", `#id-7\&b\ \"o\~\?\+é`, `#\37 \&b\ \"o\~\?\+é`, `content: "7&b \"o~?+é"`, `"#id-7\\\u0026b\\ \\\"o\\~\\?\\+é"`, `<code>#id-7\&amp;b\ \&#34;o\~\?\+é</code>`,
	} {
		got := v.Redact(text)
		if !strings.Contains(got, "[secret:PW]") {
			t.Errorf("%s comes back as %s", text, got)
		}
	}
}

// TestRedactSpreadValues cuts texts with values anywhere.
func TestRedactSpreadValues(t *testing.T) {
	filler := secret.NewFiller(vault(t, map[string]string{"PW": "Tr0ub4dor", "PIN": "4711"}), nil, false)
	const whole = "it is Tr0ub4dor, or Tr0ub4dorTr0ub4dor."
	rapid.Check(t, func(r *rapid.T) {
		cuts := rapid.SliceOfNDistinct(rapid.IntRange(0, len(whole)), 1, 20, rapid.ID).Draw(r, "cuts")
		slices.Sort(cuts)
		var texts []string
		from := 0
		for _, at := range append(cuts, len(whole)) {
			texts, from = append(texts, whole[from:at]), at
		}
		got := filler.RedactTexts(texts)
		if want := "it is [secret:PW], or [secret:PW][secret:PW]."; strings.Join(got, "") != want || len(got) != len(texts) {
			r.Fatalf("%q come back as %q", texts, got)
		}
	})
	for _, texts := range [][]string{{"47", "11"}, {"Tr0ub", " ", "4dor"}, nil, {""}} {
		if got := filler.RedactTexts(texts); !slices.Equal(got, texts) {
			t.Errorf("%q come back as %q", texts, got)
		}
	}
}
