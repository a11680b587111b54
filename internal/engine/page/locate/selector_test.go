package locate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// TestNameTakesSelectorsOfPlaywright names elements by the forms that scripts for Playwright have.
func TestNameTakesSelectorsOfPlaywright(t *testing.T) {
	b := pagetest.Show(t, `<h1>Orders: text</h1><nav><a href=#a>Sign in</a> <a href=#b>Sign in with key</a></nav>
<article><h2>Desk</h2><button class=buy>Buy</button><p>Oak, 120 cm</p></article>
<article><h2>Chair</h2><button class=buy>Buy</button><p>Beech</p></article>
<article style="display:none"><h2>Lamp</h2><button class=buy>Buy</button></article>
<form><label>Mail <input id=mail></label><label><input type=checkbox checked> News</label><label><input type=checkbox> Offers</label>
<input type=submit value="Send it"><button type=button disabled>Remove</button><button type=button aria-pressed=true aria-label="Bold text">B</button></form>
<ul><li>First <button>Drop</button><li>Two <b>done</b> <button>Keep</button><li>Three <button>Move</button></ul>
<button data-testid=go-1>Go on</button><button id="sm:x">Small</button><div id=host></div><p title="a:text(b)">Titled</p>
<script>document.querySelector('#host').attachShadow({mode:'open'}).innerHTML = '<section><button>Inside</button></section>'</script>`)
	for query, want := range map[string]string{
		`text=Sign in with`:                         `link "Sign in with key"`,
		`text="Sign in"`:                            `link "Sign in"`,
		`text=/^sign IN$/i`:                         `link "Sign in"`,
		`text=Send it`:                              `button "Send it"`,
		`text=inside`:                               `button "Inside"`,
		`role=link[name="Sign in"]`:                 `link "Sign in"`,
		`role=link[name="sign in" i]`:               `link "Sign in"`,
		`role=link[name=/key$/]`:                    `link "Sign in with key"`,
		`role=checkbox[checked]`:                    `checkbox "News"`,
		`role=checkbox[checked=false]`:              `checkbox "Offers"`,
		`role=button[name="Remove"][disabled]`:      `button "Remove"`,
		`role=button[pressed=true]`:                 `button "Bold text"`,
		`role=heading[level=1]`:                     `heading "Orders: text"`,
		`article:has-text("chair") button`:          `button "Buy"`,
		`article:has(h2:text("Desk")) >> text=Oak`:  `paragraph "Oak, 120 cm"`,
		`button:text("go")`:                         `button "Go on"`,
		`button:text-is("Go on")`:                   `button "Go on"`,
		`button:text-matches("^k.ep$", "i")`:        `button "Keep"`,
		`li:not(:has-text("done")) button >> nth=1`: `button "Move"`,
		`li >> nth=-1 >> button`:                    `button "Move"`,
		`ul > li:has-text("First") > button`:        `button "Drop"`,
		`li:has-text("First") + li button`:          `button "Keep"`,
		`h2:text("nothing"), h2:text("Chair")`:      `heading "Chair"`,
		`button.buy >> visible=true >> nth=1`:       `button "Buy"`,
		`css=#mail`:                                 `textbox "Mail"`,
		`//form/input`:                              `button "Send it"`,
		`data-testid=go-1`:                          `button "Go on"`,
		`id=mail`:                                   `textbox "Mail"`,
		`nav >> a >> nth=1`:                         `link "Sign in with key"`,
		`text=Beech >> .. >> button`:                `button "Buy"`,
		`#sm\:x:visible`:                            `button "Small"`,
		`[title="a:text(b)"]:has-text("Titled")`:    `paragraph "Titled"`,
		`section button:visible`:                    `button "Inside"`,
		`button.buy:visible`:                        `AMBIGUOUS`,
		`text=sign in`:                              `AMBIGUOUS`,
		`role=button[name="Buy"]`:                   `AMBIGUOUS`,
		`text=Lamp`:                                 `NOT_FOUND`,
		`button >> nth=70`:                          `NOT_FOUND`,
		`role=button[nam="x"]`:                      `INVALID`,
		`text=/(/`:                                  `INVALID`,
		`button:has-text("x") >> nth=a`:             `INVALID`,
		`Orders: text`:                              `heading "Orders: text"`, // words
	} {
		found, err := b.Locate.Name(b.Ctx, query, locate.FindOptions{})
		got := strings.Split(found.String(), " [")[0]
		var none *locate.NoMatchError
		var several *locate.AmbiguousError
		var bad *document.BadSelectorError
		switch {
		case errors.As(err, &none):
			got = "NOT_FOUND"
		case errors.As(err, &several):
			got = "AMBIGUOUS"
		case errors.As(err, &bad):
			got = "INVALID"
		case err != nil:
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s names %s, want %s (%v)", query, got, want, err)
		}
	}
	field, err := b.Locate.Name(b.Ctx, `text=Mail`, locate.FindOptions{Want: locate.WantField})
	if err != nil || field.Role != "textbox" {
		t.Errorf("a label does not stand for its field: %+v %v", field, err)
	}
	buy, err := b.Locate.Name(b.Ctx, `article:has-text("chair") button`, locate.FindOptions{})
	if err != nil || !strings.Contains(buy.Path, "Chair") && buy.Ref != b.Ref("article:nth-of-type(2) button") {
		t.Errorf("another article's button: %+v %v", buy, err)
	}
}

// TestSelectorsDoNotReadSecrets tries to read a password by conditions on it.
func TestSelectorsDoNotReadSecrets(t *testing.T) {
	b := pagetest.Show(t, `<input type=password value=hunter2 aria-label=Password><p>Other</p>`)
	for _, query := range []string{`input[value^="h"]:visible`, `css=input[value="hunter2"]`, `//input[@value="hunter2"]`, `text=hunter2`, `input:has-text("hunter2")`} {
		if found, err := b.Locate.Name(b.Ctx, query, locate.FindOptions{}); err == nil {
			t.Errorf("%s finds %s", query, found)
		}
	}
}
