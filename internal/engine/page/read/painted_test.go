package read_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// What is painted is read, also where it is hidden from assistive technology or drawn by a style.
func TestPaintedTextIsRead(t *testing.T) {
	tab := pagetest.Show(t, "")
	for name, c := range map[string]struct {
		body      string
		want, not []string
	}{
		"text":      {`<div><span aria-hidden=true>Price 12</span></div>`, []string{"Price 12"}, nil},
		"icon":      {`<p>A<i aria-hidden=true style="font-size:20px;display:inline-block;width:20px;overflow:hidden">home</i><b aria-hidden=true>×</b></p>`, nil, []string{"home", "×"}},
		"behind":    {`<div aria-hidden=true><h2>Behind</h2><button>Old</button></div><div role=dialog>New</div>`, []string{"New"}, []string{"Behind", "Old"}},
		"carousel":  {`<div style="width:100px;overflow:hidden;position:relative;height:40px"><div>First</div><div aria-hidden=true style="position:absolute;left:100px;top:0;width:100px">Second</div></div>`, []string{"First"}, []string{"Second"}},
		"button":    {`<a role=button tabindex=-1 aria-hidden=true style="display:inline-block;width:16px;height:16px"></a>`, []string{"button [e"}, nil},
		"generated": {`<style>.n::before{content:attr(data-n) " new"}.d::after{content:"•"}</style><div><span class=n data-n=3></span></div><p class=d>Words</p>`, []string{`3 new`, "Words"}, []string{"•"}},
		"canvas":    {`<canvas width=80 height=40>Sales by month</canvas>`, []string{`canvas "Sales by month"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, c.body)
			b.UseSession(b.Session) // its refs begin with e1
			text := b.Outline()
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

// drawnEditor is an editor that draws its text and takes keys in a field without size.
const drawnEditor = `<style>.f{position:absolute;opacity:0;width:1px;height:1px}.e{position:relative;width:300px;height:80px}.s{overflow:hidden;width:2px;height:0;position:relative}</style>
<div class=e><div id=wrap><textarea class=f id=f aria-label=Code ATTRIBUTES></textarea></div><div aria-hidden=true><span class=n>1</span><div id=lines></div></div></div><script>
let text='one two',all=false;const f=document.getElementById('f'),draw=()=>{document.getElementById('lines').textContent=text};draw();
f.addEventListener('keydown',e=>{if(e.ctrlKey&&e.key==='a'){EDITS&&(all=true);e.preventDefault()}else if(e.key==='Backspace'){text=all?'':text.slice(0,-1);all=false;draw()}});
f.addEventListener('input',e=>{text=all?f.value:text+f.value;all=false;f.value='';requestAnimationFrame(draw)});
document.querySelector('.e').addEventListener('mousedown',e=>{e.preventDefault();f.focus()})</script>`

func TestDrawnEditor(t *testing.T) {
	editor := func(t *testing.T, attributes, edits string) *pagetest.Tab {
		return pagetest.Show(t, strings.NewReplacer("ATTRIBUTES", attributes, "EDITS", edits).Replace(drawnEditor))
	}
	t.Run("listed with its text and box", func(t *testing.T) {
		tab := editor(t, "", "true")
		text := tab.MustRead(read.Options{Boxes: true}).Text
		if !strings.Contains(text, `textbox "Code" [e1] multiline @8,8 300×80`) || !strings.Contains(text, "one two") || strings.Contains(text, "clickable") {
			t.Fatal(text)
		}
	})
	t.Run("set, clicked and typed into", func(t *testing.T) {
		tab := editor(t, "", "true")
		ref := tab.Ref("#f")
		tab.MustSet(ref, "three\nfour")
		if got := tab.JS("text"); got != `three\nfour` {
			t.Fatalf("the text is %q", got)
		}
		tab.MustSet(ref, "")
		tab.JS("document.activeElement.blur()")
		tab.MustClick(ref)
		if _, err := tab.Keyboard.Type(tab.Ctx, "five"); err != nil {
			t.Fatal(err)
		}
		if got := tab.JS("text"); got != "five" {
			t.Fatalf("the text is %q", got)
		}
	})
	t.Run("its text is below other layers", func(t *testing.T) {
		tab := editor(t, "", "true")
		tab.JS("document.querySelector('.e').insertAdjacentHTML('beforeend','<div style=\"position:absolute;inset:0\"></div>')")
		tab.MustClick(tab.Ref("#lines"))
		if got := tab.JS("document.activeElement.id"); got != "f" {
			t.Fatalf("%q has the focus", got)
		}
	})
	t.Run("a line of a terminal", func(t *testing.T) {
		tab := editor(t, "aria-multiline=false", "true")
		tab.MustSet(tab.Ref("#f"), "!")
		if got := tab.JS("text"); got != "one two!" {
			t.Fatalf("the text is %q", got)
		}
	})
	t.Run("without listeners for keys it is no editor", func(t *testing.T) {
		tab := pagetest.Show(t, `<div style="width:300px;height:50px">Words<input style="opacity:0;width:1px;height:1px" name=trap></div>`)
		if text := tab.Outline(); strings.Contains(text, "textbox") {
			t.Fatal(text)
		}
	})
	t.Run("the body of a frame", func(t *testing.T) {
		tab := pagetest.Show(t, `<iframe srcdoc="<body contenteditable aria-label=Letter><p>Dear"></iframe>`)
		found, err := tab.Locate.Find(tab.Ctx, "Letter", locate.FindOptions{})
		if err != nil || len(found) == 0 || found[0].Role != "textbox" {
			t.Fatal(found, err)
		}
		tab.MustSet(found[0].Ref, "Bye")
		if got := tab.JS("document.querySelector('iframe').contentDocument.body.innerText.trim()"); got != "Bye" {
			t.Fatalf("the text is %q", got)
		}
	})
}
