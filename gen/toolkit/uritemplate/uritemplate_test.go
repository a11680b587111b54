package uritemplate_test

import (
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/toolkit/uritemplate"
)

// TestMatch matches addresses against templates.
func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		template, uri string
		want          map[string]string
	}{
		{"test://template/{id}/data", "test://template/123/data", map[string]string{"id": "123"}},
		{"test://template/{id}/data", "test://template/a%2Fb/data", map[string]string{"id": "a/b"}},
		{"test://template/{id}/data", "test://template/a/b/data", nil},
		{"test://template/{id}/data", "test://template//data", nil},
		{"test://template/{id}/data", "test://template/1/data/2", nil},
		{"test://template/{id}/data", "test://template/%zz/data", nil},
		{"file:///{+path}", "file:///a/b.txt", map[string]string{"path": "a/b.txt"}},
		{"repo://{owner}/{name}", "repo://go/tools", map[string]string{"owner": "go", "name": "tools"}},
		{"a://{+path}/end", "a://x/end/y/end", map[string]string{"path": "x/end/y"}},
		{"a://fixed", "a://fixed", map[string]string{}},
		{"a://fixed", "a://other", nil},
	} {
		got, ok := uritemplate.MustParse(c.template).Match(c.uri)
		if ok != (c.want != nil) || ok && !maps.Equal(got, c.want) {
			t.Errorf("%s of %s: %v %v, want %v", c.uri, c.template, got, ok, c.want)
		}
	}
}

// TestParseRefuses reads templates that cannot be matched.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a://{": "without a }", "a://}": "without a {", "a://{?q}": "known", "a://{a,b}": "known",
		"a://{a}{b}": "nothing between", "a://{a}/{a}": "twice", "a://{}": "known",
	} {
		if _, err := uritemplate.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestExpandAndMatch expands templates and finds the values again.
func TestExpandAndMatch(t *testing.T) {
	t.Parallel()
	template := uritemplate.MustParse("a://{first}/x/{+rest}")
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{"first": rapid.StringN(1, 20, -1).Draw(t, "first"), "rest": rapid.StringN(1, 20, -1).Draw(t, "rest")}
		got, ok := template.Match(template.Expand(want))
		if !ok || !maps.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
