package locate_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

func TestSelectFiltersAndKeepsIndices(t *testing.T) {
	b := pagetest.Show(t, `<ul><li>one<li hidden>two<li>THREE times</ul><input class=field value=three><input class=field type=password value=three>
<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = '<li>shadow</li>'</script>`)
	for _, c := range []struct {
		locate.Selection
		want string
	}{
		{locate.Selection{CSS: "li"}, "[0:one 2:THREE times 3:shadow] 4 matched 1 hidden 3 kept"},
		{locate.Selection{CSS: "li", Hidden: true}, "[0:one 1:two 2:THREE times 3:shadow] 4 matched 1 hidden 4 kept"},
		{locate.Selection{CSS: "li", Text: "three"}, "[2:THREE times] 4 matched 1 hidden 1 kept"},
		{locate.Selection{CSS: "li", Limit: 1}, "[0:one] 4 matched 1 hidden 3 kept"},
		{locate.Selection{CSS: ".field", Text: "three"}, "[0:] 2 matched 0 hidden 1 kept"},
		{locate.Selection{CSS: "li", Text: "nowhere"}, "[] 4 matched 1 hidden 0 kept"},
	} {
		found, err := b.Locate.Select(b.Ctx, c.Selection)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, e := range found.Elements {
			got = append(got, fmt.Sprintf("%d:%s", e.Index, e.Text))
		}
		if got := fmt.Sprintf("%v %d matched %d hidden %d kept", got, found.Matched, found.Hidden, found.Kept); got != c.want {
			t.Errorf("%+v: %s, want %s", c.Selection, got, c.want)
		}
	}
	second, err := b.Locate.ElementAt(b.Ctx, "li", 1)
	if err != nil || second.Text != "two" || second.Visible || second.Ref == "" {
		t.Errorf("index 1 is %+v, %v", second, err)
	}
	_, err = b.Locate.ElementAt(b.Ctx, "li", 9)
	if e, ok := errors.AsType[*document.NoElementError](err); !ok || e.Matches != 4 || e.Index != 9 {
		t.Errorf("index 9: %v", err)
	}
	if _, err := b.Locate.Select(b.Ctx, locate.Selection{CSS: "li["}); !errors.As(err, new(*document.BadSelectorError)) {
		t.Errorf("a broken selector: %v", err)
	}
}

func TestSelectReturnsSimilarSelectors(t *testing.T) {
	b := pagetest.Show(t, `<button class="btn submit-button">Go</button><div id=mainNav></div><input name=email data-testid="email-field"><p class=unrelated>`)
	for css, want := range map[string]string{
		".submit_button":              ".submit-button",
		"#main-nav":                   "#mainNav",
		"[data-test=emailField]":      `[data-testid="email-field"]`,
		"form > .btn-submit-button-x": ".submit-button",
	} {
		found, err := b.Locate.Select(b.Ctx, locate.Selection{CSS: css})
		if err != nil || found.Matched != 0 || len(found.Similar) == 0 {
			t.Fatalf("%s: %+v %v", css, found, err)
		}
		if diff := cmp.Diff(locate.SimilarSelector{Selector: want, Matches: 1}, found.Similar[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", css, diff)
		}
	}
	if found, err := b.Locate.Select(b.Ctx, locate.Selection{CSS: "#zzzzqqq"}); err != nil || len(found.Similar) != 0 {
		t.Errorf("near nothing: %+v %v", found.Similar, err)
	}
}

func TestSuggestSelectorsPrefersStable(t *testing.T) {
	b := pagetest.Show(t, `<form><label>Email <input id=email name=mail class=field></label>
<button class="css-1x2y3z primary" data-testid=send>Send order</button><button class="css-9a8b7c">Cancel</button></form>
<table><tr><td>Ada<td><button id=":r7:">Edit</button><tr><td>Bob<td><button id=":r8:">Edit</button></table>`)
	first := func(d locate.Description) (locate.SelectorSuggestion, int) {
		t.Helper()
		found, total, err := b.Locate.SuggestSelectors(b.Ctx, d)
		if err != nil || len(found) == 0 {
			t.Fatalf("%+v: %v %v", d, found, err)
		}
		for _, n := range found {
			for i, s := range n.Selectors {
				picked, err := b.Locate.ElementAt(b.Ctx, s.Selector, s.Index)
				if err != nil || picked.Ref != n.Ref {
					t.Errorf("%s at %d is %s, not %s (%v)", s.Selector, s.Index, picked.Ref, n.Ref, err)
				}
				if i > 0 && s.Stability > n.Selectors[i-1].Stability {
					t.Errorf("%+v is not sorted", n.Selectors)
				}
			}
		}
		return found[0], total
	}
	for _, c := range []struct {
		d        locate.Description
		selector string
		total    int
	}{
		{locate.Description{Words: "send button"}, `[data-testid="send"]`, 0},
		{locate.Description{Words: "email field"}, "#email", 0},
		{locate.Description{Text: "Cancel"}, "body > form > button:nth-of-type(2)", 1},
		{locate.Description{Tag: "button", Attributes: []locate.Attribute{{Name: "data-testid", Value: ""}}}, `[data-testid="send"]`, 1},
		{locate.Description{Attributes: []locate.Attribute{{Name: "role", Value: "textbox"}}}, "#email", 1},
		{locate.Description{Tag: "button", Near: "tr:nth-of-type(2)", Direction: "inside"}, `#\:r8\:`, 1},
		{locate.Description{Tag: "button", Near: "#email", Direction: "below"}, `#\:r7\:`, 2},
	} {
		got, total := first(c.d)
		if got.Selectors[0].Selector != c.selector || c.total != 0 && total != c.total {
			t.Errorf("%+v: %+v of %d, want %s of %d", c.d, got.Selectors, total, c.selector, c.total)
		}
	}
	if got, _ := first(locate.Description{Text: "Send order"}); got.Tag != "button" || got.Selectors[0].Stability < 80 {
		t.Errorf("by text: %s %+v", got.Tag, got.Selectors)
	}
	if got, _ := first(locate.Description{Text: "Cancel", StableOnly: true}); len(got.Selectors) != 0 {
		t.Errorf("lasting selectors of what has none: %+v", got.Selectors)
	}
	if _, _, err := b.Locate.SuggestSelectors(b.Ctx, locate.Description{Near: "#nowhere"}); !errors.As(err, new(*document.NoElementError)) {
		t.Errorf("near nothing: %v", err)
	}
}
