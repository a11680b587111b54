package document_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domdebugger"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// Elements that have listeners for input of their own are listed, whatever their cursor. Listeners
// of containers do not make everything in them a target.
func TestListenersMakeTargets(t *testing.T) {
	const listen = `<script>const on=(s,...types)=>{for(const el of document.querySelectorAll(s))for(const type of types)el.addEventListener(type,()=>{el.dataset.got=type})}</script>`
	shared := pagetest.Show(t, "")
	for name, c := range map[string]struct {
		body, script string
		want, not    []string
	}{
		"own": {
			`<span id=a title=Next></span><span id=b>Half hour</span><div id=c>Swipe</div><i id=d>Menu</i><b id=e>Note</b><style>#a{display:inline-block;width:16px;height:16px}</style>`,
			`on('#a','click');on('#b','mousedown');on('#c','touchstart');on('#d','pointerdown');on('#e','mouseover')`,
			[]string{`clickable "Next" [`, `clickable "Half hour" [`, `clickable "Swipe" [`, `clickable "Menu" [`, `- text: Note`}, nil,
		},
		"nested": {
			`<div id=mail>From Ada: hello <span id=star title=Star>☆</span> <span id=bin title=Bin>x</span></div><p>After</p>`, `on('#mail,#star,#bin','click')`,
			[]string{`clickable "From Ada: hello" [`, `  - clickable "Star" [`, `  - clickable "Bin" [`}, nil,
		},
		"container": {
			`<div id=w><button>One</button><button>Two</button></div><main id=m><p>Words</p></main>`, `on('#w,#m,body','click','mousedown')`,
			[]string{`button "One"`}, []string{"clickable"},
		},
		"list":  {`<ul id=l><li>Alpha<li>Beta</ul>`, `on('#l','mousedown')`, []string{`listitem [e1]: Alpha`, `listitem [e2]: Beta`}, nil},
		"board": {`<style>#g div{width:30px;height:30px}</style><div id=g><div>1</div><div>2</div><div>3</div></div>`, `on('#g','click')`, []string{`clickable "1" [e1]`, `clickable "3" [e3]`}, []string{"[e4]"}},
		"words": {`<div id=g><p>One</p><p>Two</p><p>Three</p></div><div style="height:900px"></div>`, `on('#g','click')`, []string{`Two`}, []string{"[e2]"}},
		"shadow": {`<div id=h></div>`, `h.attachShadow({mode:'closed'}).innerHTML='<div style="width:80px">Inside</div>';const s=document.createElement('div');s.attachShadow({mode:'open'}).innerHTML='<span>Open</span>';document.body.append(s);s.shadowRoot.firstChild.addEventListener('click',()=>{})`,
			[]string{`clickable "Open" [`}, nil},
		"frame": {`<iframe title=F srcdoc="<div id=in>In the frame</div><script>document.getElementById('in').addEventListener('click',()=>{})</script>"></iframe>`, ``, []string{`clickable "In the frame" [`}, nil},
		"drag":  {`<div style="cursor:grab;width:40px;height:20px" class=handle></div>`, ``, []string{`clickable [e1] (`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, listen+c.body+"<script>"+c.script+"</script>")
			tab.UseSession(tab.Session) // its refs begin with e1
			text := tab.Outline()
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s is not in\n%s", want, text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(text, not) {
					t.Errorf("%s is in\n%s", not, text)
				}
			}
		})
	}
}

// A listener that is added or removed without a change of the DOM counts in the next reading.
func TestListenersChange(t *testing.T) {
	tab := pagetest.Show(t, `<div id=a>Once</div><div id=b>Later</div><script>document.getElementById('a').addEventListener('click',()=>{},{once:true})</script>`)
	if text := tab.Outline(); !strings.Contains(text, `clickable "Once"`) || strings.Contains(text, `clickable "Later"`) {
		t.Fatal(text)
	}
	found, err := tab.Locate.Find(tab.Ctx, "Once", locate.FindOptions{})
	if err != nil || len(found) != 1 || found[0].Role != "clickable" {
		t.Fatal(found, err)
	}
	tab.MustClick(found[0].Ref)
	tab.JS(`document.getElementById('b').addEventListener('click',()=>{})`)
	if text := tab.Outline(); strings.Contains(text, `clickable "Once"`) || !strings.Contains(text, `clickable "Later"`) {
		t.Fatal(text)
	}
}

// endingSession ends the context of a call as soon as the browser has listed the listeners.
type endingSession struct {
	cdp.Session
	end context.CancelFunc
}

func (e endingSession) Call(ctx context.Context, method string, params, result any) error {
	err := e.Session.Call(ctx, method, params, result)
	if method == domdebugger.GetEventListeners.Method {
		e.end()
	}
	return err
}

// A reading whose time ends when the listeners are listed fails with the cause, and does not panic.
func TestReadEndsWithItsContext(t *testing.T) {
	b := pagetest.Show(t, `<button>Save</button>`)
	ctx, cancel := context.WithCancel(b.Ctx)
	b.UseSession(endingSession{b.Session, cancel})
	if _, err := b.Read.Page(ctx, read.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the reading ended with %v", err)
	}
}
