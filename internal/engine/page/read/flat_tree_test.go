package read_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// A button that renders a slot is under the text that the slot shows.
func TestClickOnSlottedText(t *testing.T) {
	shared := pagetest.Show(t, "")
	for _, mode := range []string{"open", "closed"} {
		tab := shared.Row(t, `<x-b>Save it</x-b><script>customElements.define('x-b',class extends HTMLElement{constructor(){super();
const root=this.attachShadow({mode:'`+mode+`'});root.innerHTML='<button style="padding:0;border:0;font:20px monospace"><slot></slot></button>';
root.firstChild.onclick=()=>{document.title='saved'}}})</script>`)
		found, err := tab.Locate.Find(tab.Ctx, "Save it button", locate.FindOptions{})
		if err != nil || len(found) == 0 || found[0].Role != "button" {
			t.Fatal(mode, found, err)
		}
		tab.MustClick(found[0].Ref)
		if got := tab.JS("document.title"); got != "saved" {
			t.Fatalf("%s: the title is %q", mode, got)
		}
	}
}

// A frame that a transform scales has its elements where it draws them.
func TestClickInScaledFrame(t *testing.T) {
	tab := pagetest.Show(t, `<iframe style="width:400px;height:400px;border:0;transform:scale(.5);transform-origin:0 0" srcdoc="<button style='position:absolute;left:300px;top:300px;width:60px;height:30px' onclick='parent.document.title=1'>Go</button>"></iframe>`)
	if text := tab.MustRead(read.Options{Boxes: true}).Text; !strings.Contains(text, `button "Go" [e2] @158,158 30×15`) {
		t.Fatal(text)
	}
	tab.MustClick("e2")
	if got := tab.JS("document.title"); got != "1" {
		t.Fatalf("the title is %q", got)
	}
}

// A layer that is much larger than the viewport is clicked where it shows, and not scrolled.
func TestClickOnHugeLayer(t *testing.T) {
	tab := pagetest.Show(t, `<div id=s style="width:300px;height:60px;overflow:hidden"><div id=l style="width:1000000px;height:40px">Words</div></div>`)
	tab.MustClick(tab.Ref("#l"))
	if got := tab.JS("s.scrollLeft"); got != "0" {
		t.Fatalf("it is scrolled by %s", got)
	}
}

// Controls without a name are named by their place or colour.
func TestDerivedNames(t *testing.T) {
	tab := pagetest.Show(t, `<style>button,i{display:inline-block;width:16px;height:16px;cursor:pointer}</style>
<span><input role=spinbutton aria-label=Tickets><button id=u></button><button id=d></button></span>
<ul role=tree><li role=treeitem aria-expanded=false><i></i><input type=checkbox><span>Fruit</span></li></ul>
<div><i id=x></i><a role=treeitem aria-expanded=true tabindex=0>Nuts</a></div>
<button aria-label=swatch style="--c: rgba(0, 255, 0, 1)"></button><p><span>let</span><span> a</span> = 1;</p>`)
	text := tab.Outline()
	for _, want := range []string{`button "Increase"`, `button "Decrease"`, `clickable "Expand Fruit"`, `checkbox "Select Fruit"`, `clickable "Collapse Nuts"`, `value "#00ff00"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	for query, want := range map[string]string{"#00ff00": "swatch", "let a = 1;": "let a = 1;"} {
		if found, err := tab.Locate.Find(tab.Ctx, query, locate.FindOptions{}); err != nil || len(found) == 0 || found[0].Name != want {
			t.Errorf("%s finds %v %v", query, found, err)
		}
	}
}
