package widget_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// drawnSelectPage has a list in a native select, hidden by a style, and what a script draws in its place.
const drawnSelectPage = `<style>.box{position:relative;width:200px}.list{position:absolute;z-index:9;background:#fff;margin:0;padding:0;width:200px;display:none}.open .list{display:block}#face{display:block;border:1px solid;cursor:pointer}%s</style>
<label for=s>Colour</label><div class=box id=b><select id=s><option>Red<option>Green<option>Blue</select><span id=face>Red</span><ul class=list id=list><li>Red<li>Green<li>Blue</ul></div><button style="display:block;width:200px">Next</button>`

const (
	clipped   = `select{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)}`
	behind    = `select{position:absolute;opacity:0;width:200px;z-index:-1}`
	atop      = `select{position:absolute;opacity:0;width:200px;height:24px;z-index:5}`
	undrawn   = `select{display:none}`
	outside   = `.box{overflow:hidden;height:30px}select{position:absolute;left:-300px}.list{position:fixed}`
	byItem    = `for (const li of list.children) li.onclick = () => { s.value = li.textContent; face.textContent = li.textContent; b.classList.remove('open') };`
	byItemAdd = `for (const li of list.children) li.onclick = () => { s.value = li.textContent; face.textContent = li.textContent };`
	onFocus   = `s.onfocus = () => b.classList.add('open');`
	onEscape  = `addEventListener('keydown', (e) => { if (e.key === 'Escape') b.classList.remove('open') });`
	onClick   = `face.onclick = () => b.classList.toggle('open');`
	onChange  = `s.onchange = () => { face.textContent = s.value };`
)

// What a person sees of a select is set, and closed.
func TestSetADrawnSelect(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, "")
	for name, test := range map[string][2]string{
		"the focus opens a list":           {clipped, byItem + onFocus},
		"a click of the label focuses":     {clipped, byItem + onFocus + `face.onclick = () => s.focus();`},
		"a click opens a list":             {clipped, byItem + onClick},
		"behind what is drawn":             {behind, byItem + onClick + onFocus},
		"not displayed":                    {undrawn, byItem + onClick},
		"not displayed, hears of changes":  {undrawn, onChange},
		"outside of its box":               {outside, byItem + onClick},
		"transparent on top":               {atop, onChange},
		"transparent on top, with a list":  {atop, byItem + onFocus + onChange},
		"an empty first option":            {undrawn, byItem + onClick + `s.prepend(new Option('')); s.selectedIndex = 0; face.textContent = 'Choose a colour';`},
		"a list that Escape closes":        {clipped, byItemAdd + onClick + onEscape},
		"a list that a second click shuts": {clipped, byItemAdd + onClick},
	} {
		b.Body(fmt.Sprintf(drawnSelectPage, test[0]))
		b.JS("(() => {" + test[1] + "})()")
		ref := labelled(b, "Colour")
		for _, value := range []string{"Green", "Blue"} {
			b.MustSet(ref, value)
			if got := b.JS(`s.value + ' ' + face.textContent + ' ' + getComputedStyle(list).display`); got != value+" "+value+" none" {
				t.Errorf("%s: set to %s, the list holds, shows and is %v", name, value, got)
			}
		}
		b.MustClick(b.Ref("button"))
	}
	b.Body(fmt.Sprintf(drawnSelectPage, undrawn))
	_, err := b.Widget.SetValue(b.Ctx, labelled(b, "Colour"), "Green")
	if refused, ok := errors.AsType[*document.NotAppliedError](err); !ok || refused.Holds != "Red" {
		t.Errorf("a list whose drawing stays as it is: %v", err)
	}
}
