package document_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// delegating sets the properties that the frameworks leave on elements, and listens at the root as they do.
const delegating = `<div id=root style="min-height:90vh"><div id=r class=box>React</div><div id=k class=box>React click</div><div id=s class=box>Svelte</div><div id=o class=box>Solid</div>
<div id=n class=box>Nothing</div></div><style>.box{width:120px;height:24px}</style><script>
const react = '__reactProps$abc123', noop = () => {};
for (const e of document.querySelectorAll('#root, #root *')) e[react] = { children: [] };
r[react] = { onPointerDown: noop }; k[react] = { onClick: noop }; n[react] = { onClick: undefined, onMouseOver: noop };
s.__click = [noop, 1]; o.$$mousedown = noop;
for (const type of ['click', 'mousedown', 'pointerdown', 'lostpointercapture']) root.addEventListener(type, noop)</script>`

func TestReadOfDelegatedHandlers(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, delegating)
	got := b.Outline()
	for _, want := range []string{`clickable "React" [`, `clickable "React click" [`, `clickable "Svelte" [`, `clickable "Solid" [`, `Nothing`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, `clickable "Nothing"`) {
		t.Errorf("an element without a handler is a target:\n%s", got)
	}
	b.JS("delete s.__click, o.textContent = 'Gone'")
	if got := b.Outline(); strings.Contains(got, `clickable "Svelte"`) {
		t.Errorf("a handler that was taken away is still there:\n%s", got)
	}
	b.JS("(() => { const copy = r.cloneNode(true); copy[react] = r[react]; r.replaceWith(copy) })()")
	if got := b.Outline(); !strings.Contains(got, `clickable "React" [`) {
		t.Errorf("an element that was drawn anew at the same place is no target:\n%s", got)
	}
}

// TestReadOfAForgedWorld reads pages that answer the search for delegated handlers with something else.
func TestReadOfAForgedWorld(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, "")
	for name, script := range map[string]string{
		"endless": `Object.defineProperty(Object.prototype, '__click', { get() { for (;;); } })`,
		"throws":  `document.getElementsByTagName = () => { throw new Error('no') }`,
		"odd":     `document.getElementsByTagName = () => ({ length: 1e9, 0: { __click: 1 }, 7: null })`,
		"proxy":   `document.getElementsByTagName = () => new Proxy([], { get: (a, k) => k === 'length' ? 2 ** 53 : { __click: 1 } })`,
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, `<button id=go>Go</button><p>Words</p><script>go.onclick = () => {};`+script+`</script>`)
			if got := b.Outline(); !strings.Contains(got, `button "Go" [`) || strings.Contains(got, "clickable") {
				t.Errorf("the reading is\n%s", got)
			}
		})
	}
}

// Elements are targets that a listener of the window or the document finds by their titles or attributes.
func TestReadOfListenersOfTheWholePage(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<style>i{display:inline-block;width:20px;height:20px;background:red}</style><p><i title=Archive></i> <i title=Bin></i></p>
<div data-action="click->list#open">Open</div><div data-action="load->x#y">Words</div><span jsaction="click:a.b">Star</span><li data-toggle=menu>More</li><div hx-get=/more>Load</div><p>Text</p>`)
	b.JS("addEventListener('click', () => {}), 0")
	got := b.Outline()
	for _, name := range []string{"Archive", "Bin", "Open", "Star", "More", "Load"} {
		if !strings.Contains(got, `clickable "`+name+`" [`) {
			t.Errorf("%s is no target in\n%s", name, got)
		}
	}
	if strings.Contains(got, `clickable "Words"`) || strings.Contains(got, `clickable "Text"`) {
		t.Errorf("a text is a target:\n%s", got)
	}
}
