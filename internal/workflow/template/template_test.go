package template_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/internal/workflow/template"
)

type scope map[string]any

func (s scope) Lookup(name string) (any, bool) {
	v, ok := s[name]
	return v, ok
}

func values() scope {
	return scope{
		"n": int64(7), "s": "42", "zero": "0123", "o": map[string]any{"k": map[string]any{"deep": []any{"a", 2.0}}},
		"yes":  true,
		"none": nil, "list": []any{"a", "b"}, "tab": map[string]any{"text": "1: about:blank\n2: http://x [selected]"},
		"braces": "{{ n }}",
	}
}

func TestEval(t *testing.T) {
	for src, want := range map[string]any{
		"{{ n }}":                   int64(7),
		" {{ s }} ":                 "42", // a text stays text, whatever it looks like
		"{{ zero }}":                "0123",
		"{{s}}{{n}}":                "427",
		"x={{ n }}":                 "x=7",
		"{{ o.k.deep[1] }}":         2.0,
		`{{ o["k"].deep[-1] }}`:     2.0,
		"{{ missing | true }}":      true,
		"{{ missing | 10 }}":        10.0,
		`{{ missing | "png" }}`:     "png",
		"{{ missing || 'text' }}":   "text",
		"{{ none | 3 }}":            3.0,
		"{{ yes | false }}":         true,
		"got {{ o }}":               `got {"k":{"deep":["a",2]}}`,
		"{{ list | join(\"-\") }}":  "a-b",
		"{{ list | last | upper }}": "B",
		"{{ list | len }}":          int64(2),
		`{{ tab.text | regex("(\d+): [^\n]*\[selected\]") }}`: "2",
		"{{#if n}}Y{{else}}N{{/if}}{{#if none}}Y{{/if}}!":     "Y!",
		"{{#if missing}}a{{else}}{{#if n}}b{{/if}}{{/if}}":    "b",
		`{{ "{{" }} {{ braces }}`:                             "{{ {{ n }}", // what is inserted is not read again
		"plain":                                               "plain",
		`{{ "[1,{\"a\":2}]" | parse | last }}`:                map[string]any{"a": 2.0},
	} {
		tpl, err := template.Parse(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got, ok, err := tpl.Eval(values())
		if err != nil || !ok {
			t.Errorf("%s: %v %v", src, ok, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", src, diff)
		}
	}
}

func TestAbsent(t *testing.T) {
	whole, _ := template.Parse("{{ missing.text | upper }}")
	if _, ok, err := whole.Eval(values()); ok || err != nil {
		t.Errorf("an absent value is no value: %v %v", ok, err)
	}
	mixed, _ := template.Parse("x {{ missing }}")
	if _, _, err := mixed.Eval(values()); err == nil ||
		!strings.Contains(err.Error(), "{{ missing }} has no value here") {
		t.Errorf("%v", err)
	}
}

func TestErrors(t *testing.T) {
	for src, want := range map[string]string{
		"{{ a":                   `"{{" is never closed`,
		"{{ }}":                  "expected a name",
		"{{ a + b }}":            `expected | or the end, got "+ b"`,
		"{{ a | uper }}":         `unknown filter "uper"; did you mean "upper"?`,
		"{{ a | png }}":          "a default that is text needs quotes",
		"{{ a | regex(\"(\") }}": "does not compile",
		"{{ a | regex }}":        "regex needs 1 arguments, got 0",
		"{{#if a}}x":             "{{#if a}} is never closed",
		"x{{/if}}":               "{{/if}} has no {{#if}}",
		"{{ a[x] }}":             "expected an index or a quoted key",
	} {
		_, err := template.Parse(src)
		var e *template.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if e.At < 0 || e.At > len(src) {
			t.Errorf("%s: place %d", src, e.At)
		}
	}
}

// Text without braces comes out as it went in.
func TestPlainTextIsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := strings.ReplaceAll(rapid.String().Draw(t, "text"), "{{", "")
		tpl, err := template.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := tpl.Eval(scope{}); got != src || !tpl.IsLiteral() {
			t.Fatalf("%q became %q", src, got)
		}
	})
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"{{ a | true }}", "{{#if a}}x{{else}}y{{/if}}", `{{ a["b"][0] | regex("(.)") }}`,
		"{{{{}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tpl, err := template.Parse(src)
		if err != nil {
			var e *template.Error
			if !errors.As(err, &e) || e.At < 0 || e.At > len(src) {
				t.Fatalf("%q: %v", src, err)
			}
			return
		}
		_, _, _ = tpl.Eval(values())
	})
}

func BenchmarkEval(b *testing.B) {
	tpl, err := template.Parse("http://{{ o.k.deep[0] }}/{{ n }}?q={{ s | upper }}")
	if err != nil {
		b.Fatal(err)
	}
	s := values()
	b.ReportAllocs()
	for b.Loop() {
		_, _, _ = tpl.Eval(s)
	}
}
