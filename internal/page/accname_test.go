package page_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/page"
	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/google/go-cmp/cmp"
)

// snippets are checked against Chromium's own accessibility tree: # marks the
// element that is looked at.
var snippets = []string{
	`<button #>Save</button>`,
	`<button # aria-label="Close dialog">×</button>`,
	`<button #><img src="" alt="Search"></button>`,
	`<button #><span>Two</span> <span>words</span></button>`,
	`<button # title="Tip"></button>`,
	`<button #>Shown<span style="display:none"> hidden</span><span aria-hidden=true> silent</span></button>`,
	`<button #><div>Block</div><div>apart</div></button>`,
	`<button # aria-labelledby="s1 s2">x</button><i id=s1>First</i><i id=s2 hidden>Second</i>`,
	`<a # href="/x">Home</a>`,
	`<a #>No address</a>`,
	`<a # href="/x"><svg><title>Vector</title></svg></a>`,
	`<label for=t13>Name</label><input # >`,
	`<label>Wrapped <input #></label>`,
	`<input # placeholder="Your city">`,
	`<input # title="Titled" placeholder="Hint">`,
	`<input # type=search aria-label="Find it">`,
	`<input # type=checkbox aria-label=Agree>`,
	`<label><input # type=radio name=r> Option one</label>`,
	`<input # type=submit>`,
	`<input # type=reset value="Start over">`,
	`<input # type=button value="Press">`,
	`<input # type=image alt="Go" src="">`,
	`<input # type=number aria-label=Age>`,
	`<input # type=range aria-label=Volume>`,
	`<label>Text <textarea #></textarea></label>`,
	`<select # aria-label=Country><option>FR</select>`,
	`<select # multiple aria-label=Many><option>FR</select>`,
	`<h2 #>A <em>fine</em> title</h2>`,
	`<img # src="" alt="A cat">`,
	`<svg # role=img aria-label="Chart"></svg>`,
	`<fieldset #><legend>Address</legend><input></fieldset>`,
	`<table #><caption>Prices</caption><tr><td>1</td></tr></table>`,
	`<nav # aria-label="Main menu"></nav>`,
	`<section # aria-label="News">x</section>`,
	`<section #>x</section>`,
	`<div # role=button tabindex=0>Custom</div>`,
	`<div # role=tab aria-selected=true>First tab</div>`,
	`<div # role=switch aria-checked=true aria-label="Dark mode"></div>`,
	`<div # role=dialog aria-labelledby=dl><h3 id=dl>Confirm</h3></div>`,
	`<div # role="nonsense button">Fallback</div>`,
	`<ul><li #>Item</li></ul>`,
	`<progress # value=3 max=10 aria-label=Loading></progress>`,
	`<div # contenteditable role=textbox aria-label=Editor>text</div>`,
	`<details><summary #>More</summary>x</details>`,
	`<div # role=link tabindex=0 aria-label=" ">By content</div>`,
	`<label for=t46>Rate <input value=5 aria-label=five> stars</label><input # type=checkbox>`,
	`<span # role=checkbox aria-checked=mixed>Some <b>of</b> them</span>`,
	`<article><header #>inner</header></article>`,
	`<th #>loose</th>`,
	`<table><tr><th # scope=row>Row head</th><td>1</td></tr></table>`,
	`<table role=grid><tr><td #>gc</td></tr></table>`,
	`<figure #><figcaption>Fig. 1</figcaption></figure>`,
	`<button #>日本語 naïve 🙂</button>`,
}

// chromiumRoles maps Chromium's internal role names to the ARIA ones we show.
var chromiumRoles = map[string]string{
	"image": "img", "LabelText": "generic", "Iframe": "iframe", "DisclosureTriangle": "button", "Section": "generic",
	"sectionheader": "generic", "sectionfooter": "generic", "none": "generic", "MenuListPopup": "listbox", "ProgressIndicator": "progressbar",
	"LayoutTable": "table", "LayoutTableCell": "cell", "StaticText": "generic",
}

func TestNamesAndRolesAgreeWithChromium(t *testing.T) {
	var body strings.Builder
	for i, s := range snippets {
		fmt.Fprintf(&body, "<div>%s</div>\n", strings.Replace(s, "#", fmt.Sprintf("id=t%d", i+1), 1))
	}
	b := show(t, body.String())
	if _, err := cdp.Call(b.ctx, b.session, accessibility.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	for i, s := range snippets {
		id := fmt.Sprintf("t%d", i+1)
		found, total, err := b.Query(b.ctx, page.QueryOptions{CSS: "#" + id})
		if err != nil || total == 0 {
			if strings.HasPrefix(s, "<th") {
				continue // the parser drops a cell outside of a table
			}
			t.Fatalf("%s: %d elements, %v", s, total, err)
		}
		type look struct{ Role, Name string }
		got := look{found[0].Role, found[0].Name}
		if got.Role == "clickable" {
			got.Role = "generic"
		}
		want := look(b.axNode(id))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n(-Chromium +ours)\n%s", s, diff)
		}
	}
}

// axNode is Chromium's role and name of the element with an id.
func (b *tab) axNode(id string) (out struct{ Role, Name string }) {
	b.t.Helper()
	res, err := cdp.Call(b.ctx, b.session, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.getElementById('" + id + "')"})
	if err != nil {
		b.t.Fatal(err)
	}
	no := false
	tree, err := cdp.Call(b.ctx, b.session, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{
		ObjectID: res.Result.ObjectID, FetchRelatives: &no,
	})
	if err != nil || len(tree.Nodes) == 0 {
		b.t.Fatalf("the accessibility node of %s: %v", id, err)
	}
	node := tree.Nodes[0]
	if node.Role != nil {
		out.Role = text(node.Role.Value)
	}
	if role, ok := chromiumRoles[out.Role]; ok {
		out.Role = role
	}
	if node.Name != nil {
		out.Name = strings.Join(strings.Fields(text(node.Name.Value)), " ")
	}
	return out
}

// text decodes a JSON string.
func text(raw []byte) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}
