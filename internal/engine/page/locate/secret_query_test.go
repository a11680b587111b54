package locate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	pagesecret "github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/login/secret"
)

// mirror is a page that repeats what is typed in every way that a query can ask about.
const mirror = `<label>Text <input id=plain></label><form id=f><input id=code aria-label=Code type=password value=t0pp name=q><button class=go>Go</button></form>
<p id=echo>echo</p><p id=letters></p><div id=host></div><iframe id=inner srcdoc="<p id=framed>framed</p>"></iframe><svg><text id=drawn></text></svg>
<select id=list><option id=option>none</select><style>#painted::before { content: attr(data-v) }</style><p id=painted>painted</p>
<script>
const root = host.attachShadow({mode: 'open'});
root.innerHTML = '<b id=shadowed>shadow</b>';
plain.addEventListener('input', () => {
  const v = plain.value;
  plain.setAttribute('value', v); echo.textContent = v; echo.title = v; echo.setAttribute('data-v', btoa(v)); echo.className = 'x ' + v;
  letters.innerHTML = [...v].map((c) => '<i>' + c + '</i> ').join(''); letters.append(document.createComment(v));
  root.querySelector('b').textContent = v; root.querySelector('b').setAttribute('aria-label', v.toUpperCase());
  const p = inner.contentDocument.querySelector('p'); p.textContent = v; p.id = v;
  drawn.textContent = v; option.textContent = v; painted.dataset.v = v; f.setAttribute('action', '/go?p=' + encodeURIComponent(v));
  history.replaceState(null, '', '?p=' + encodeURIComponent(v));
});
</script>`

// TestQueriesSeeTheMask asks in every way for parts of a secret that was typed and that the page repeats.
func TestQueriesSeeTheMask(t *testing.T) {
	const value = "zq7&Yx k"
	b := pagetest.Show(t, mirror)
	vault, err := secret.New(map[string]string{"KEY": value})
	if err != nil {
		t.Fatal(err)
	}
	ctx := pagesecret.With(b.Ctx, secret.NewFiller(vault, nil, false))
	field, err := b.Locate.ElementAt(ctx, "#plain", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Widget.SetValue(ctx, field.Ref, "{secret:KEY}"); err != nil {
		t.Fatal(err)
	}
	for _, css := range []string{
		"[value^=z]", "input[value*='q7']", "p[title^=z i]", "[title$=k]", "[class~='zq7&Yx']", ".zq7\\&Yx", "[data-v^=enE3]", "[aria-label^=ZQ]",
		"form[action*='=z']", "[id^=z]", "#plain:not([value*='('], [value^='[secret'])", "p:has(~ [data-v^=z])", ":is(p, b)[title|='zq7&Yx k']", "[type=password][value^=t]",
		"[value='zq7&Yx k']:focus",
	} {
		if found, err := b.Locate.Select(ctx, locate.Selection{CSS: css, Hidden: true}); err != nil || found.Matched > 0 {
			t.Errorf("the selector %s matches %d elements: %v", css, found.Matched, err)
		}
	}
	for _, xpath := range []string{
		"//*[starts-with(@value,'z')]", "//p[starts-with(.,'z')]", "//*[contains(text(),'q7')]", "//p[i[1]='z']", "//*[string-length(@title)=8]",
		"//*[substring(@title,1,1)='z']", "//p[comment()[contains(.,'q7')]]", "//option[starts-with(.,'z')]", "//*[translate(@title,'z','')!=@title]/self::p",
	} {
		if _, total, err := b.Locate.Query(ctx, locate.QueryOptions{XPath: xpath, All: true}); err != nil || total > 0 {
			t.Errorf("the path %s selects %d elements: %v", xpath, total, err)
		}
	}
	for _, query := range []string{"/^z/", "/q7/", "/Yx/i", "/^z$/", "/^.{8}$/", "zq7", "zq7&yx"} {
		if found, err := b.Locate.Find(ctx, query, locate.FindOptions{}); err != nil || len(found) > 0 {
			t.Errorf("find %s: %+v %v", query, found, err)
		}
	}
	for _, o := range []settle.WaitOptions{
		{Text: "zq7"}, {Text: "q7&y"}, {Selector: "[value^=z]"}, {URL: "/p=z/"}, {URL: "p=zq"},
	} {
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		if _, err := b.Settle.WaitFor(short, o); !errors.As(err, new(*settle.WaitTimeoutError)) {
			t.Errorf("a wait for %s: %v", o, err)
		}
		cancel()
	}
	if _, err := b.Read.Page(ctx, read.Options{Selector: "[title^=z]"}); err == nil {
		t.Error("a reading starts at an element by a part of the secret")
	}
	// What is no part of the secret is found as before.
	for css, want := range map[string]int{
		"[value]": 2, "#echo[title]": 1, "p.x": 1, "#plain:focus": 1, "form:has(> [type=password]) .go": 1, "b#shadowed": 1, "p:not(.x):not(#letters)": 2,
		"option:checked": 1, "input:not(:placeholder-shown)": 2, ":root > body > p:first-of-type": 2, `[title="[secret:KEY]"]`: 1, ":host > b": 1,
	} {
		if found, err := b.Locate.Select(ctx, locate.Selection{CSS: css, Hidden: true}); err != nil || found.Matched != want {
			t.Errorf("the selector %s matches %d elements, want %d: %v", css, found.Matched, want, err)
		}
	}
	if _, total, err := b.Locate.Query(ctx, locate.QueryOptions{XPath: "//p[@id='echo']/following-sibling::p", All: true}); err != nil || total != 2 {
		t.Errorf("a path selects %d elements: %v", total, err)
	}
}
