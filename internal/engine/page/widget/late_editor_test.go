package widget_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// lateEditor draws each key 50 ms after it, at the place where the caret was when the key came.
const lateEditor = `<button id=bold onclick="setTimeout(() => { draw(); ed.focus(); caret(model.length) }, 50)">Bold</button>
<div id=ed contenteditable role=textbox aria-label=Note style="white-space:pre-wrap;width:300px;height:80px;border:1px solid"></div><script>
let model = '';
const caret = n => { const s = getSelection(); s.setPosition(ed.firstChild ?? ed, ed.firstChild ? n : 0) };
const draw = () => { ed.textContent = model };
ed.addEventListener('keydown', e => {
  const letter = e.key === 'Enter' ? '\n' : e.key;
  if ([...letter].length !== 1 || e.ctrlKey) return;
  e.preventDefault();
  const at = getSelection().focusOffset;
  setTimeout(() => { LOSE; model = model.slice(0, at) + letter + model.slice(at); draw(); caret(at + 1) }, 50);
});</script>`

func TestTypingWaitsForALateEditor(t *testing.T) {
	tab := pagetest.Show(t, "")
	for name, lose := range map[string]string{"whole": "0", "loses a letter": "if (letter === 'B') return"} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, strings.Replace(lateEditor, "LOSE", lose, 1))
			b.JS(`(ed.focus(), 1)`)
			if _, err := b.Keyboard.Type(b.Ctx, "Title\nline"); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Widget.Click(b.Ctx, input.Target{Ref: b.Ref("#bold")}, input.ClickOptions{}); err != nil {
				t.Fatal(err)
			}
			_, err := b.Keyboard.Type(b.Ctx, "Budget")
			not, refused := errors.AsType[*document.NotAppliedError](err)
			if got := b.JS("model"); lose == "0" && (err != nil || got != `Title\nlineBudget`) {
				t.Errorf("%q %v", got, err)
			} else if lose != "0" && (!refused || not.Holds != "Title lineudget") {
				t.Errorf("%q %v", got, err)
			}
		})
	}
}

// Editors that insert their text in other late ways hold what was typed, in its order.
func TestTypingWaitsForOtherLateEditors(t *testing.T) {
	const box = `<div id=ed contenteditable role=textbox aria-label=Note style="white-space:pre-wrap;width:300px;height:60px;border:1px solid"></div>`
	b := pagetest.Show(t, "")
	for name, body := range map[string]string{
		"drawn by beforeinput and frames": box + `<script>let m='';ed.addEventListener('beforeinput',e=>{e.preventDefault();const d=e.data??(e.inputType.includes('ara')?'\n':'');let n=3;
const step=()=>{if(n--)return requestAnimationFrame(step);m+=d;ed.textContent=m;getSelection().setPosition(ed.firstChild??ed,ed.firstChild?m.length:0)};step()})</script>`,
		"a new element for each key": `<div id=host></div><script>let m='';const draw=()=>{host.innerHTML='<div id=ed contenteditable role=textbox aria-label=Note style="white-space:pre-wrap;width:300px;height:60px;border:1px solid"></div>';
ed.textContent=m;ed.focus();getSelection().setPosition(ed.firstChild??ed,ed.firstChild?m.length:0);ed.onkeydown=e=>{const d=e.key==='Enter'?'\n':e.key;if([...d].length!==1||e.ctrlKey)return;e.preventDefault();setTimeout(()=>{m+=d;draw()},40)}};draw()</script>`,
		"much later": `<div id=ed contenteditable role=textbox aria-label=Note style="white-space:pre-wrap;width:300px;height:60px;border:1px solid"></div><script>let m='';ed.onkeydown=e=>{const d=e.key==='Enter'?'\n':e.key;if([...d].length!==1||e.ctrlKey)return;e.preventDefault();
const at=getSelection().focusOffset;setTimeout(()=>{m=m.slice(0,at)+d+m.slice(at);ed.textContent=m;getSelection().setPosition(ed.firstChild??ed,at+1)},75)}</script>`,
	} {
		b.Body(body)
		b.JS(`(ed.focus(), 1)`)
		_, err := b.Keyboard.Type(b.Ctx, "Title\nline")
		if got := b.JS("m"); err != nil || got != `Title\nline` {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}
