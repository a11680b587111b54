package lock_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/webmcp/lock"
)

const shop = "https://shop.example"

// addToCart is the tool that the tests allow and then change.
func addToCart() lock.Tool {
	return lock.Tool{
		Name: "add_to_cart", Description: "Puts a product into the cart.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"product":{"type":"string"},"count":{"type":"integer","maximum":99}},"required":["product"]}`),
	}
}

// allowed returns a lock with tools of the shop.
func allowed(t *testing.T, tools ...lock.Tool) *lock.Lock {
	t.Helper()
	f := lock.NewFile(t.TempDir() + "/" + lock.FileName)
	if _, err := f.Accept(t.Context(), lock.Acceptance{Origin: shop, Tools: tools, By: "a test"}); err != nil {
		t.Fatal(err)
	}
	l, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// changed is addToCart with one change.
func changed(change func(*lock.Tool)) lock.Tool {
	t := addToCart()
	change(&t)
	return t
}

func schema(text string) func(*lock.Tool) {
	return func(t *lock.Tool) { t.InputSchema = json.RawMessage(text) }
}

func TestJudge(t *testing.T) {
	t.Parallel()
	l := allowed(t, addToCart())
	for name, c := range map[string]struct {
		present lock.Tool
		verdict lock.Verdict
		diff    string // a part of it
	}{
		"the same":             {addToCart(), lock.Unchanged, "unchanged"},
		"white space":          {changed(schema(`{ "type":"object","properties":{"product":{"type":"string"},"count":{"type":"integer","maximum":99}},"required":["product"]}`)), lock.Unchanged, ""},
		"order":                {changed(schema(`{"required":["product"],"type":"object","properties":{"count":{"maximum":99,"type":"integer"},"product":{"type":"string"}}}`)), lock.Unchanged, ""},
		"a wider bound":        {changed(schema(`{"type":"object","properties":{"product":{"type":"string"},"count":{"type":"integer","maximum":999}},"required":["product"]}`)), lock.Compatible, "[INPUT_WIDER]"},
		"other words":          {changed(func(t *lock.Tool) { t.Description = "Buys at once." }), lock.Compatible, `-description: "Puts a product into the cart."`},
		"a narrower bound":     {changed(schema(`{"type":"object","properties":{"product":{"type":"string"},"count":{"type":"integer","maximum":9}},"required":["product"]}`)), lock.Breaking, "[PARAM_BOUNDS_NO_NARROW]"},
		"a new demand":         {changed(schema(`{"type":"object","properties":{"product":{"type":"string"},"card":{"type":"string"}},"required":["product","card"]}`)), lock.Breaking, "card: it is new and required [PARAM_NO_NEW_REQUIRED]"},
		"another type":         {changed(schema(`{"type":"object","properties":{"product":{"type":"integer"},"count":{"type":"integer","maximum":99}},"required":["product"]}`)), lock.Breaking, "it was string and is integer [PARAM_SAME_TYPE]"},
		"a remote reference":   {changed(schema(`{"$ref":"https://evil.example/schema.json"}`)), lock.Breaking, "_CANNOT_TELL]"},
		"consequences":         {changed(func(t *lock.Tool) { t.Annotations.Consequential = true }), lock.Breaking, "[ANNOTATION_NO_WEAKER]"},
		"content of others":    {changed(func(t *lock.Tool) { t.Annotations.UntrustedContent = true }), lock.Breaking, "[ANNOTATION_NO_WEAKER]"},
		"it reads only":        {changed(func(t *lock.Tool) { t.Annotations.ReadOnly = true }), lock.Compatible, "[ANNOTATION_CHANGED]"},
		"for developers":       {changed(func(t *lock.Tool) { t.Annotations.Debugging = true }), lock.Compatible, "[TOOL_FOR_DEBUGGING]"},
		"a form":               {changed(func(t *lock.Tool) { t.Declarative = true }), lock.Compatible, "[FORM_CHANGED]"},
		"another name":         {changed(func(t *lock.Tool) { t.Name = "buy" }), lock.FirstSeen, "not allowed yet"},
		"a name of a stranger": {changed(func(t *lock.Tool) { t.Name = "add to cart\n  error" }), lock.Invalid, "its name is not"},
		"a long description":   {changed(func(t *lock.Tool) { t.Description = strings.Repeat("x", lock.MaxDescription+1) }), lock.Invalid, "its description has 8193 bytes"},
		"a deep schema":        {changed(schema(strings.Repeat(`{"not":`, 40) + "{}" + strings.Repeat("}", 40))), lock.Invalid, "nested deeper than 32"},
		"a large schema":       {changed(schema(`{"x":"` + strings.Repeat("x", lock.MaxSchema) + `"}`)), lock.Invalid, "its input schema has"},
		"no JSON":              {changed(schema(`{"type":`)), lock.Invalid, "its input schema is no JSON"},
		"no object":            {changed(schema(`true`)), lock.Invalid, "its input schema is no object"},
	} {
		t.Run(name, func(t *testing.T) {
			j := l.Judge(shop, []lock.Tool{c.present})[0]
			if j.Verdict != c.verdict || !strings.Contains(j.Diff(), c.diff) {
				t.Errorf("the verdict is %s, want %s with %q:\n%s", j.Verdict, c.verdict, c.diff, j.Diff())
			}
			if got := j.Offer(); j.Locked != nil && got.Description != addToCart().Description {
				t.Errorf("the page's words %q are offered in place of the allowed ones", got.Description)
			}
			for line := range strings.Lines(strings.TrimSuffix(j.Diff(), "\n")) {
				if strings.HasPrefix(line, "  error ") && j.Verdict != lock.Breaking {
					t.Errorf("page content reads as a finding: %q", line)
				}
			}
		})
	}
}

// A form that a person submits must not become one that runs without a person.
func TestJudgeForms(t *testing.T) {
	t.Parallel()
	form := func(declarative, autosubmit bool) lock.Tool {
		return changed(func(t *lock.Tool) { t.Declarative, t.Annotations.Autosubmit = declarative, autosubmit })
	}
	attended, unattended, function := form(true, false), form(true, true), form(false, false)
	for _, c := range []struct {
		was, now lock.Tool
		want     lock.Verdict
	}{
		{attended, attended, lock.Unchanged}, {attended, unattended, lock.Breaking}, {attended, function, lock.Breaking},
		{unattended, attended, lock.Compatible}, {unattended, function, lock.Compatible},
		{function, attended, lock.Compatible}, {function, unattended, lock.Compatible},
	} {
		j := allowed(t, c.was).Judge(shop, []lock.Tool{c.now})[0]
		if broken := strings.Contains(j.Diff(), "FORM_NO_UNATTENDED"); j.Verdict != c.want || broken != (c.want == lock.Breaking) {
			t.Errorf("from %v %v to %v %v the verdict is %s, want %s:\n%s",
				c.was.Declarative, c.was.Annotations.Autosubmit, c.now.Declarative, c.now.Annotations.Autosubmit, j.Verdict, c.want, j.Diff())
		}
	}
}

// What the operator reads must show that words changed, also where the change cannot be seen.
func TestDiffShowsInvisibleText(t *testing.T) {
	t.Parallel()
	hidden := changed(func(t *lock.Tool) { t.Description += "\u200b\u202e\U000e0041\n  error    nothing [NO_RULE]" })
	diff := allowed(t, addToCart()).Judge(shop, []lock.Tool{hidden})[0].Diff()
	for _, want := range []string{"[TEXT_CHANGED]", `\u200b\u202e\udb40\udc41\n  error`} {
		if !strings.Contains(diff, want) {
			t.Errorf("the diff has no %q:\n%s", want, diff)
		}
	}
	if strings.ContainsAny(diff, "\u200b\u202e\U000e0041") || strings.Contains(diff, "\n  error") {
		t.Errorf("the page's text reads as the lock's:\n%q", diff)
	}
}

// An absent tool is no change, another origin has nothing allowed, and an opaque origin never has.
func TestJudgeOrigins(t *testing.T) {
	t.Parallel()
	l := allowed(t, addToCart())
	if got := l.Judge(shop, nil); len(got) != 0 || lock.Worst(got) != lock.Unchanged {
		t.Errorf("a page without tools: %+v", got)
	}
	for origin, want := range map[string]lock.Verdict{
		"https://other.example": lock.FirstSeen, "http://shop.example": lock.FirstSeen, "https://shop.example:8443": lock.FirstSeen,
		"null": lock.Invalid, "": lock.Invalid, "file://": lock.Invalid, "https://shop.example/": lock.Invalid, "https://u@shop.example": lock.Invalid, "HTTPS://SHOP.example": lock.Invalid,
	} {
		list := l.Judge(origin, []lock.Tool{addToCart()})
		j := list[0]
		var bad *lock.OriginError
		if j.Verdict != want || errors.As(j.Err, &bad) != (want == lock.Invalid) || j.Verdict.Callable() || lock.Worst(list) != want {
			t.Errorf("%q: %s, %v, want %s", origin, j.Verdict, j.Err, want)
		}
	}
}

// A page with ten thousand tools is judged, one at a time.
func TestJudgeManyTools(t *testing.T) {
	t.Parallel()
	var tools []lock.Tool
	for i := range 10_000 {
		tools = append(tools, changed(func(t *lock.Tool) { t.Name = fmt.Sprintf("tool_%d", i) }))
	}
	tools = append(tools, addToCart())
	got := allowed(t, addToCart()).Judge(shop, tools)
	if len(got) != 10_001 || got[0].Verdict != lock.FirstSeen || got[10_000].Verdict != lock.Unchanged {
		t.Errorf("%d judgements", len(got))
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	wide := `{"properties":{` + strings.Repeat(`"aaaaaaaaaa":{},`, 50) + `"b":{}}}`
	for text, want := range map[string]string{
		"":          "no parameters",
		`{}`:        "no declared parameters",
		`{"a":true`: "parameters of another shape",
		`{"properties":{"z":{"type":"string"},"a":{"type":["string","null"]},"b":true},"required":["z"]}`: "z: string, a?, b?",
		`{"properties":{"a\nb":{}}}`: "a b?",
		wide:                         "aaaaaaaaaa?, b?",
	} {
		if got := lock.Summary(lock.Tool{InputSchema: json.RawMessage(text)}); got != want {
			t.Errorf("%.60s: %q, want %q", text, got, want)
		}
	}
}
