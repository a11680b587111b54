package locate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/powertest"
)

func TestFind(t *testing.T) {
	b := pagetest.Show(t, `<h2>Submit your order</h2><p>Please submit the order form.</p><button id=submit>Submit</button><button>Submit and close</button>
<a href=/submit>How to submit</a><input type=search placeholder="Search products" id=q><button aria-label=Search>🔍</button>
<label>Delivery address <input id=addr></label><div style="display:none"><button>Submit hidden</button></div>
<div id=trash data-testid="delete-row" style="cursor:pointer;width:20px;height:20px"></div><button>Größe ändern</button><p>Total: 42 €</p>`)
	for query, want := range map[string]string{
		"submit":            "button Submit",
		"Submit button":     "button Submit",
		"submit and close":  "button Submit and close",
		"submit link":       "link How to submit",
		"search field":      "searchbox Search products",
		"search button":     "button Search",
		"delivery address":  "textbox Delivery address",
		"address input":     "textbox Delivery address",
		"delete row":        "clickable ",
		"GRÖSSE":            "button Größe ändern",
		"größe":             "button Größe ändern",
		"submit your order": "heading Submit your order",
		"total 42":          "paragraph Total: 42 €",
		"nothing like this": "",
	} {
		found, err := b.Locate.Find(b.Ctx, query, locate.FindOptions{})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		got := ""
		if len(found) > 0 {
			got = found[0].Role + " " + found[0].Name
		}
		if got != want {
			t.Errorf("%s: %q, want %q (%+v)", query, got, want, found)
		}
		for i, m := range found {
			if strings.Contains(m.Name, "hidden") || m.Score <= 0 || m.Score > 1 || i > 0 && m.Score > found[i-1].Score {
				t.Errorf("%s: match %d is %+v", query, i, m)
			}
		}
	}
	b.JS(`setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button>Appears later</button>'), 150)`)
	found, err := b.Locate.Find(b.Ctx, "appears later", locate.FindOptions{Wait: time.Minute, Limit: 1})
	if err != nil || len(found) != 1 {
		t.Errorf("waiting: %+v %v", found, err)
	}
	b.MustClick(found[0].Ref)
}

func TestQuery(t *testing.T) {
	b := pagetest.Show(t, `<ul><li class=x>one<li class=x>two<li class=x>three</ul><my-el></my-el>
<script>customElements.define('my-el', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:'open'}).innerHTML='<button class=x>in</button>' } })</script>`)
	found, total, err := b.Locate.Query(b.Ctx, locate.QueryOptions{CSS: "li.x", All: true, Limit: 2})
	if err != nil || total != 3 || len(found) != 2 || found[0].Text != "one" || found[0].Role != "listitem" || found[0].Attributes["class"] != "x" {
		t.Errorf("css: %d %+v %v", total, found, err)
	}
	found, total, err = b.Locate.Query(b.Ctx, locate.QueryOptions{CSS: ".x", All: true, PierceShadow: true})
	if err != nil || total != 4 || found[3].Name != "in" {
		t.Errorf("pierced: %d %+v %v", total, found, err)
	}
	found, total, err = b.Locate.Query(b.Ctx, locate.QueryOptions{XPath: "//li[contains(., 't')]", All: true})
	if err != nil || total != 2 || found[0].Text != "two" {
		t.Errorf("xpath: %d %+v %v", total, found, err)
	}
	b.MustClick(found[0].Ref)
	var bad *document.BadSelectorError
	for _, q := range []locate.QueryOptions{{CSS: "li["}, {XPath: "//li["}, {XPath: "count(//li)"}, {XPath: "//li/@class"}, {}, {CSS: "a", XPath: "//a"}} {
		if _, _, err := b.Locate.Query(b.Ctx, q); !errors.As(err, &bad) || bad.Selector != q.CSS+q.XPath {
			t.Errorf("%+v: %v", q, err)
		}
	}
	var none *document.NoElementError
	if _, err := b.Read.Page(b.Ctx, read.Options{Selector: "#absent"}); !errors.As(err, &none) {
		t.Errorf("reading an absent subtree: %v", err)
	}
}

func TestWaitFor(t *testing.T) {
	b := pagetest.Open(t, map[string]any{
		"/": `<title>One</title><p id=p>Loading</p><div id=hid style="display:none">Hid</div>
<script>function soon(f) { setTimeout(f, 120) }</script>`,
		"/two": `<title>Two</title><p>Second page</p>`,
	})
	for _, c := range []struct {
		trigger string
		options settle.WaitOptions
	}{
		{`soon(() => p.insertAdjacentHTML('afterend', '<i id=new>n</i>'))`, settle.WaitOptions{Selector: "#new"}},
		{`soon(() => hid.style.display = '')`, settle.WaitOptions{Selector: "#hid", Visible: true}},
		{`soon(() => hid.hidden = true)`, settle.WaitOptions{Selector: "#hid", Hidden: true}},
		{`soon(() => p.textContent = 'All   done')`, settle.WaitOptions{Text: "all done"}},
		{`soon(() => p.remove())`, settle.WaitOptions{TextGone: "All done"}},
		{`soon(() => history.pushState(0, '', '/in?step=2'))`, settle.WaitOptions{URL: "step=2"}},
		{`soon(() => location = '/two')`, settle.WaitOptions{URL: `/\/two$/`, Text: "Second page"}},
	} {
		b.JS("(" + c.trigger + ", 1)")
		if _, err := b.Settle.WaitFor(b.WithTimeout(time.Minute), c.options); err != nil {
			t.Errorf("%s: %v", c.options, err)
		}
	}
	var late *settle.WaitTimeoutError
	for _, c := range []struct {
		options settle.WaitOptions
		last    string
	}{
		{settle.WaitOptions{Selector: "#never"}, "no element matches"},
		{settle.WaitOptions{URL: "/three"}, "the address is " + b.URL + "/two"},
		{settle.WaitOptions{Duration: time.Minute}, "deadline"},
	} {
		_, err := b.Settle.WaitFor(b.WithTimeout(300*time.Millisecond), c.options)
		if !errors.As(err, &late) || !strings.Contains(late.LastState, c.last) {
			t.Errorf("%s: %v", c.options, err)
		}
	}
	b.JS("(window.ready = 0, setTimeout(() => window.ready = Promise.resolve(1), 120))")
	if _, err := b.Settle.WaitForFunction(b.WithTimeout(time.Minute), powertest.Script, "window.ready"); err != nil {
		t.Errorf("function: %v", err)
	}
	_, err := b.Settle.WaitForFunction(b.WithTimeout(300*time.Millisecond), powertest.Script, "missing.property")
	if !errors.As(err, &late) || !strings.Contains(late.LastState, "threw") {
		t.Errorf("function that throws: %v", err)
	}
	var bad *document.BadSelectorError
	if _, err := b.Settle.WaitFor(b.Ctx, settle.WaitOptions{Selector: "p["}); !errors.As(err, &bad) {
		t.Errorf("bad selector: %v", err)
	}
	ctx, cancel := context.WithCancelCause(b.Ctx)
	reason := errors.New("the tab died")
	time.AfterFunc(100*time.Millisecond, func() { cancel(reason) })
	if _, err := b.Settle.WaitFor(ctx, settle.WaitOptions{Selector: "#never"}); !errors.Is(err, reason) {
		t.Errorf("cancelled: %v", err)
	}
}

// Words that a reading prints find what they stand for, once; numbers and names of files are whole words; what lies on
// top comes first.
func TestFindWordsOfAReading(t *testing.T) {
	b := pagetest.Show(t, `<ul role=menu><li role=menuitem tabindex=0 id=mi>Archive</ul><div role=switch tabindex=0 aria-checked=true id=sw>Dark</div><div role=grid><div role=row><div role=gridcell tabindex=0 id=gc>7</div></div></div>
<p>Retention policy</p><select id=sel><option>30 days<option>90 days</select><button id=order>Order PO-4321</button><label><input type=checkbox id=inv>Send invoice</label><label>Mail <input id=mail value="ann@x.test"></label>
<button id=behind>Rename</button><div popover id=pop style="margin:0;inset:auto;left:300px;top:200px"><label>Title <input id=title></label><button id=top>Rename</button></div><script>pop.showPopover()</script>`)
	for query, want := range map[string]string{
		"menuitem": "mi", "switch": "sw", "gridcell": "gc", "Retention policy": "sel", "Order PO-1234": "", "PO-4321": "order", "invoice.xlsx": "", "Rename": "top", "textbox in popover": "title", "Mail": "mail",
	} {
		found, err := b.Locate.Find(b.Ctx, query, locate.FindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, times := "", 0
		for i, m := range found {
			info, err := b.Document.Describe(b.Ctx, m.Ref)
			if err != nil {
				t.Fatal(err)
			}
			if id := info.Attributes["id"]; i == 0 && !m.Partial() {
				got = id
			} else if id == "" && m.Role == "generic" {
				times++
			}
		}
		if got != want || times > 0 {
			t.Errorf("%s finds %q, want %q, and %d wrappers: %+v", query, got, want, times, found)
		}
	}
	if found, err := b.Locate.Find(b.Ctx, "Mail", locate.FindOptions{}); err != nil || len(found) == 0 || !strings.Contains(found[0].String(), "ann@x.test") {
		t.Errorf("a value is not shown: %+v %v", found, err)
	}
}
