package read_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

const redPicture = `src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'><rect width='200' height='100' fill='red'/></svg>"`

var refs = regexp.MustCompile(` \[e\d+\]`)

func withoutRefs(text string) string { return refs.ReplaceAllString(text, "") }

// nativeContent are parts of a page with the lines of their reading; refs are left out.
var nativeContent = []struct{ name, body, want string }{
	{"areas", `<img usemap=#m1 alt=Map ` + redPicture + `><map name=m1><area shape=rect coords=0,0,99,99 href=#a alt=Left>
<area shape=circle coords=150,50,40 href=#b title=Right><area shape=poly coords=100,0,110,0,100,9 alt=None></map>`,
		"- img \"Map\":\n  - link \"Left\" → #a\n  - link \"Right\" → #b\n"},
	{"areas by id", `<map id=m2><area shape=default href=/w alt=Whole></map><p><img usemap=#m2 ` + redPicture + `>`, "- img:\n  - link \"Whole\" → /w\n"},
	{"unused map", `<map name=m3><area href=#x alt=Lost></map>`, ""},
	{"options that are not offered", `<style>.no{display:none}</style><select aria-label=Pet><option hidden>None<option class=no>Ant<option>Cat<option style="display:none">Dog</select>`,
		"- combobox \"Pet\" value \"None\" options \"Cat\"\n"},
	{"options of a list", `<select size=3 aria-label=Pets><option>Cat<option hidden>Dog<optgroup hidden label=Sea><option>Fish</optgroup></select>`, "- listbox \"Pets\" options \"Cat\"\n"},
	{"label of a time", `<label>Start <input type=time value=09:30></label>`, "- time \"Start\" value \"09:30\"\n"},
	{"labelled by elements", `<i id=w1>Words</i> <i id=w2>more</i><button id=l1>x</button><input id=l2><section id=l3>in</section><script>
l1.ariaLabelledByElements=[w1];l2.ariaLabelledByElements=[w1,w2];l3.ariaLabelledByElements=[w2]</script>`,
		"- text: Words more\n- button \"Words\"\n- textbox \"Words more\"\n- region \"more\": in\n"},
	{"owned options", `<div role=listbox aria-label=Colours aria-owns="o1 o2" tabindex=0></div><p>between</p><div role=option id=o1>Red</div><div role=option id=o2>Blue</div>`,
		"- listbox \"Colours\":\n  - option \"Red\"\n  - option \"Blue\"\n- text: between\n"},
	{"owned before the owner", `<div role=menuitem id=o3>Copy</div><div role=menu aria-label=Edit aria-owns=o3><div role=menuitem>Cut</div></div>`,
		"- menu \"Edit\":\n  - menuitem \"Cut\"\n  - menuitem \"Copy\"\n"},
	{"owned by what is hidden", `<div role=menu hidden aria-owns=o4></div><div aria-hidden=true><div role=menu aria-owns=o5></div></div><p><b role=menuitem id=o4>Stay</b><b role=menuitem id=o5>Too</b>`,
		"- menuitem \"Stay\"\n- menuitem \"Too\"\n"},
	{"vector graphic", `<svg width=200 height=90><title>Chart</title><a href=#x><text x=9 y=20>Linked</text></a><text x=9 y=60>Plain</text><g role=button tabindex=0><title>Bar</title><rect x=99 y=9 width=30 height=30></rect></g></svg>`,
		"- img \"Chart\":\n  - link \"Linked\" → #x\n  - text: Plain\n  - button \"Bar\"\n"},
	{"vector icon", `<button><svg width=9 height=9><title>Close</title><text>x</text></svg></button><svg width=9 height=9 aria-label=Star><path d="M0 0"/></svg>`,
		"- button \"Close\"\n- img \"Star\"\n"},
	{"vector link", `<svg width=99 height=30 xmlns:xlink="http://www.w3.org/1999/xlink"><a xlink:href="/old"><text y=20>Old</text></a></svg>`, "- img:\n  - link \"Old\" → /old\n"},
	{"inert", `<div inert><p>Words</p><button>Press</button></div>`, "- text: (inert: takes no input)\n- text: Words\n- button \"Press\" inert\n"},
	{"inert control", `<button inert>Off</button><div inert style="position:absolute;left:-9999px">Away</div><div inert style="display:none">Gone</div>`, "- button \"Off\" inert\n"},
	{"inert slide", `<div style="overflow:hidden;width:99px"><div style="display:flex;width:99px"><p style="flex:0 0 99px">One</p><p inert style="flex:0 0 99px">Two</p></div></div>`, "- text: One\n"},
	{"start and value", `<ol start=3><li>three<li value=7>seven<li>eight</ol>`, "- list:\n  - listitem: 3. three\n  - listitem: 7. seven\n  - listitem: 8. eight\n"},
	{"reversed letters", `<ol type=a reversed><li>x<li><p>y</p></ol>`, "- list:\n  - listitem: b. x\n  - listitem: a. y\n"},
	{"roman by style", `<ul style="list-style:upper-roman"><li>x<li>y<li>z<li>w</ul>`, "- list:\n  - listitem: I. x\n  - listitem: II. y\n  - listitem: III. z\n  - listitem: IV. w\n"},
	{"links in a list", `<ol><li><a href=#1>One</a><li>two</ol><ol start=5><li><a href=#5>Five</a></ol><ol style="list-style:none"><li>bare</ol>`,
		"- list:\n  - link \"One\" → #1\n  - listitem: 2. two\n- list:\n  - listitem:\n    - text: 5.\n    - link \"Five\" → #5\n- list:\n  - listitem: bare\n"},
	{"struck through", `<style>.old{text-decoration:line-through red}</style><p><s>$10</s> $8 <del>a <b>b</b></del> <strike>c</strike> <i class=old>d</i> <i style="text-decoration-line:line-through">e</i> <u>f</u></p>`,
		"- text: ~~$10~~ $8 ~~a b~~ ~~c~~ ~~d~~ ~~e~~ f\n"},
	{"formula", `<p>So <math><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mn>2</mn></mfrac><mo>=</mo><msup><mi>x</mi><mn>2</mn></msup></math> holds.</p><math display=block><msqrt><mi>x</mi></msqrt></math>`,
		"- text: So (a + 1)/2 = x^2 holds.\n- text: √(x)\n"},
	{"formulas", `<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>, <math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable></math>,
<math><semantics><mroot><mi>y</mi><mn>3</mn></mroot><annotation encoding="application/x-tex">\sqrt[3]{y}</annotation></semantics></math>`, "- text: x_i^2, [1, 0; 0, 1], root(3, y)\n"},
	{"preformatted", "<pre>one\n  two</pre>", "- text: one\n- text:   two\n"},
	{"validity", `<input type=email aria-label=Mail value=nope><input type=number max=5 aria-label=Count value=9><input required aria-label=Asked><input pattern=a+ aria-label=Told aria-invalid=false value=b>`,
		"- textbox \"Mail\" email invalid \"Please include an '@' in the email address. 'nope' is missing an '@'.\" value \"nope\"\n" +
			"- spinbutton \"Count\" invalid \"Value must be less than or equal to 5.\" value \"9\"\n- textbox \"Asked\" required\n- textbox \"Told\" value \"b\"\n"},
	{"values without a box", `<div role=slider aria-valuenow=30 aria-valuemin=0 aria-valuemax=90 aria-label=Volume tabindex=0></div><div role=spinbutton aria-valuenow=4></div><div role=scrollbar aria-valuenow=10 aria-valuetext="page 2"></div>`,
		"- slider \"Volume\" value \"30\" (0 to 90)\n- spinbutton value \"4\"\n- scrollbar value \"page 2\"\n"},
	{"scroll buttons", `<style>.car{overflow:auto;display:flex;width:300px;scroll-marker-group:after;gap:10px}.car>div{flex:0 0 300px;height:60px}
.car::scroll-button(right){content:"→" / "Next"}.car::scroll-button(left){content:"←" / "Previous"}.car>div::scroll-marker{content:attr(data-l)}</style>
<div class=car><div data-l=One>S1</div><div data-l=Two>S2</div></div>`, "- button \"Previous\" disabled\n- button \"Next\"\n- text: S1\n- text: S2\n- link \"One\"\n- link \"Two\"\n"},
	{"documents", `<object data="/inner" width=200 height=90></object><embed src="/inner" width=200 height=90>`,
		"- iframe:\n  - text: Inner\n  - button \"Inside\"\n- iframe:\n  - text: Inner\n  - button \"Inside\"\n"},
	{"documents of another origin", `<object data="data:text/html,<button>Far</button>" width=200 height=90></object><embed src="data:text/html,<p>Words" width=200 height=90>`,
		"- iframe:\n  - button \"Far\"\n- iframe:\n  - text: Words\n"},
	{"objects without a document", `<object data="/missing"><p>Instead</p></object><object ` + strings.Replace(redPicture, "src", "type=image/svg+xml data", 1) + `></object>`, "- object: Instead\n- iframe:\n  - text: (a document of type image/svg+xml)\n"},
}

// A page is read as a person sees it, where the browser draws what is no plain text or control.
func TestNativeContent(t *testing.T) {
	var body strings.Builder
	for _, part := range nativeContent {
		body.WriteString("<h3>" + part.name + "</h3><div>" + part.body + "</div>")
	}
	tab := pagetest.Open(t, map[string]any{"/": "<!doctype html><title>Native</title>" + body.String(), "/inner": "Inner <button>Inside</button>"})
	text := withoutRefs(tab.Outline())
	for _, part := range nativeContent {
		_, own, _ := strings.Cut(text, "- heading \""+part.name+"\" level 3\n")
		own, _, _ = strings.Cut(own, "- heading \"")
		if diff := cmp.Diff(part.want, own); diff != "" {
			t.Errorf("%s (-want +got)\n%s", part.name, diff)
		}
	}
}

// A custom element has the role, the name and the states that it gives itself.
func TestElementInternals(t *testing.T) {
	tab := pagetest.Show(t, `<x-button></x-button><x-check>Agree</x-check><x-slider></x-slider><x-plain>Text</x-plain><x-own role=link>Own</x-own><x-late></x-late>
<script>const size='display:inline-block;width:40px;height:20px;background:teal';
customElements.define('x-button',class extends HTMLElement{#own;constructor(){super();this.#own=this.attachInternals();this.#own.role='button';this.#own.ariaLabel='Save';
this.attachShadow({mode:'closed'}).innerHTML='<i style="'+size+'"></i>';this.onclick=()=>{this.#own.ariaPressed='true'}}});
class Base extends HTMLElement{constructor(){super();this.own=this.attachInternals()}}
customElements.define('x-check',class extends Base{constructor(){super();this.own.role='checkbox';this.own.ariaChecked='false';this.onclick=()=>{this.own.ariaChecked='true'}}});
customElements.define('x-slider',class extends Base{constructor(){super();this.own.role='slider';this.own.ariaLabel='Volume';this.own.ariaValueNow='5';this.style=size}});
customElements.define('x-plain',class extends Base{});customElements.define('x-own',class extends Base{constructor(){super();this.own.role='button'}});
setTimeout(()=>customElements.define('x-late',class extends Base{constructor(){super();this.own.role='tab';this.own.ariaLabel='Late';this.style=size}}),50)</script>`)
	tab.JS("customElements.whenDefined('x-late')")
	want := "- button \"Save\"\n- checkbox \"Agree\"\n- slider \"Volume\" value \"5\" (0 to 100)\n- text: Text\n- link \"Own\"\n- tab \"Late\"\n"
	if diff := cmp.Diff(want, withoutRefs(tab.Outline())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for query, want := range map[string]string{"Save button": `pressed`, "Agree": `checked=true`} {
		m, err := tab.Locate.Name(tab.Ctx, query, locate.FindOptions{})
		if err != nil {
			t.Fatal(query, err)
		}
		tab.MustClick(m.Ref)
		tab.Outline()
		if info, err := tab.Document.Describe(tab.Ctx, m.Ref); err != nil || !strings.Contains(info.Line(), want) {
			t.Errorf("%s is %s (%v), want %s", query, info.Line(), err, want)
		}
	}
}

// The options of a customizable select are controls while its list is open.
func TestOpenCustomizableSelect(t *testing.T) {
	tab := pagetest.Show(t, `<style>select,select::picker(select){appearance:base-select}</style><label>Pet <select id=p><button><selectedcontent></selectedcontent></button>
<option value=c><span>🐈</span> Cat <small>purrs</small><option selected>Dog<optgroup label=Sea><option>Fish<option disabled>Shark</optgroup></select></label><p>After</p>`)
	closed := "- combobox \"Pet\" value \"Dog\" options \"🐈 Cat purrs\" | \"Dog\" | \"Fish\" | \"Shark\"\n- text: After\n"
	if diff := cmp.Diff(closed, withoutRefs(tab.Outline())); diff != "" {
		t.Errorf("closed (-want +got)\n%s", diff)
	}
	tab.MustClick(tab.Ref("#p"))
	open := "- combobox \"Pet\" expanded value \"Dog\":\n  - option \"🐈 Cat purrs\"\n  - option \"Dog\" selected focused\n  - group \"Sea\":\n    - option \"Fish\"\n    - option \"Shark\" disabled\n- text: After\n"
	if diff := cmp.Diff(open, withoutRefs(tab.Outline())); diff != "" {
		t.Errorf("open (-want +got)\n%s", diff)
	}
	m, err := tab.Locate.Name(tab.Ctx, "Fish", locate.FindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tab.MustClick(m.Ref)
	if got := tab.JS("p.value+p.matches(':open')"); got != "Fishfalse" {
		t.Errorf("after the click it is %s", got)
	}
	tab.MustClick(tab.Ref("#p"))
	tab.MustSet(tab.Ref("#p"), "🐈 Cat purrs")
	if got := tab.JS("p.value+p.matches(':open')"); got != "cfalse" {
		t.Errorf("set while open, it is %s", got)
	}
}

// The page behind a modal dialog is marked once; what it holds keeps its lines.
func TestPageBehindAModalDialogIsMarked(t *testing.T) {
	tab := pagetest.Show(t, `<button>Behind</button><dialog id=d aria-label=Rename><button>OK</button></dialog><dialog id=n><p>Plain</p></dialog>`)
	for _, step := range []struct{ script, want string }{
		{"d.showModal()", "- text: (behind dialog \"Rename\": takes no input)\n- button \"Behind\"\n- dialog \"Rename\" modal:\n  - button \"OK\" focused\n"},
		{"n.showModal()", "- text: (behind dialog: takes no input)\n- button \"Behind\"\n- dialog \"Rename\" modal:\n  - button \"OK\"\n- dialog modal focused: Plain\n"},
		{"n.close(),d.close()", "- button \"Behind\"\n"},
		{"d.show()", "- button \"Behind\"\n- dialog \"Rename\":\n  - button \"OK\" focused\n"},
	} {
		tab.JS(step.script)
		if diff := cmp.Diff(step.want, withoutRefs(tab.Outline())); diff != "" {
			t.Errorf("%s (-want +got)\n%s", step.script, diff)
		}
	}
	if text := withoutRefs(tab.MustRead(read.Options{Selector: "#d"}).Text); strings.Contains(text, "behind") {
		t.Errorf("a reading of the dialog is\n%s", text)
	}
}

// Bars without text, markers of strings and of further numberings are lines; a link to the page itself has no address.
func TestDrawnValuesAndMarkers(t *testing.T) {
	const bar = ` style="width:20px;height:10px;background:red"></div>`
	tab := pagetest.Show(t, "")
	for body, want := range map[string]string{
		`<div role=progressbar aria-valuenow=30` + bar:                            `progressbar value "30"`,
		`<div role=meter aria-valuenow=2 aria-valuetext=two` + bar:                `meter value "two"`,
		`<p>Load</p><progress value=3 max=10></progress>`:                         `progressbar value "3"`,
		`<style>li{list-style-type:"✔ "}</style><ul><li>Done<li>Sent</ul>`:        "✔ Done",
		`<style>li{list-style-type:"- "}</style><ul><li>Done<li>Sent</ul>`:        "listitem: Done",
		`<ol style="list-style:lower-greek"><li>One<li>Two</ol>`:                  "β. Two",
		`<ol style="list-style:decimal-leading-zero" start=9><li>One<li>Two</ol>`: "09. One",
	} {
		tab.Body(body)
		if text := tab.Outline(); !strings.Contains(text, want) {
			t.Errorf("%s\nreads, without %q:\n%s", body, want, text)
		}
	}
	tab.Body(`<a href=#>Top</a> <a href="">Here</a> <a href=#a>Part</a>`)
	text := tab.MustRead(read.Options{Mode: read.ModeMarkdown}).Text
	if strings.Count(text, "http") != 1 || !strings.Contains(text, "#a") {
		t.Errorf("markdown is %s", text)
	}
}
