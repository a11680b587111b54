package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/site/compile"
)

// parameterized is the shop with parameters of the site.
func parameterized(t *testing.T) *compile.Compiled {
	t.Helper()
	files := shop()
	files["site.yaml"] += `parameters:
  language: {type: string, required: true, enum: [en, de]}
  page_size: {type: integer, default: 20, minimum: 1}
  coupon: {type: string}
  preview: {type: boolean}
`
	files["tools/empty_cart.yaml"] = strings.Replace(files["tools/empty_cart.yaml"], "start: /cart\n", "start: /{language}/cart?size={page_size}\n", 1)
	files["tools/empty_cart.yaml"] = strings.Replace(files["tools/empty_cart.yaml"], `[click "Empty cart"]`, "\n  - type \"{coupon}{preview}\" in Coupon\n  - click \"Empty cart\"", 1)
	c, diags := check(t, write(t, files))
	if c == nil {
		t.Fatal(printed(t, diags))
	}
	return c
}

func TestValuesOfTheSite(t *testing.T) {
	c := parameterized(t)
	site, err := forRunner(c, "", map[string]string{"language": "de", "page_size": "50", "coupon": "007", "preview": "true"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]any{"language": "de", "page_size": int64(50), "coupon": "007", "preview": true}, site.Values); d != "" {
		t.Error(d)
	}
	if site, err = forRunner(c, "", map[string]string{"language": "en"}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]any{"language": "en", "page_size": int64(20)}, site.Values); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"language", "page_size", "coupon", "preview"}, site.Parameters); d != "" {
		t.Error(d)
	}
}

func TestValuesOfTheSiteThatDoNotFit(t *testing.T) {
	c := parameterized(t)
	for name, x := range map[string]struct {
		values map[string]string
		want   []string
	}{
		"missing":       {nil, []string{"/language: required, but missing"}},
		"unknown":       {map[string]string{"language": "en", "langage": "en"}, []string{"/langage: unknown property", `did you mean "language"?`}},
		"no integer":    {map[string]string{"language": "en", "page_size": "many"}, []string{"/page_size: expected an integer"}},
		"not one of":    {map[string]string{"language": "fr"}, []string{`"fr"`, `"de"`}},
		"out of bounds": {map[string]string{"language": "en", "page_size": "0"}, []string{"/page_size: "}},
		"no boolean":    {map[string]string{"language": "en", "preview": "yes"}, []string{"/preview: expected"}},
	} {
		site, err := forRunner(c, "", x.values)
		if err == nil || site != nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		for _, want := range append(x.want, "the parameters of the site shop: ") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in %v", name, want, err)
			}
		}
	}
}

// TestFactsNeedTheirParameters: a fact is observed whether or not a parameter has a value.
func TestFactsNeedTheirParameters(t *testing.T) {
	files := shop()
	files["site.yaml"] = strings.Replace(files["site.yaml"], "name: Sign out}", `name: "{exit}"}`, 1) + "parameters: {exit: {type: string}}\n"
	c, diags := check(t, write(t, files))
	if got := printed(t, diags); c != nil || !strings.Contains(got, `site.yaml:7:54: error: parameter "exit" may be absent here [absent-parameter]`) {
		t.Errorf("compiled: %t\n%s", c != nil, got)
	}
}
