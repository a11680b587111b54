package input_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// The next key of several comes once the page has drawn what the one before did, as from a hand.
func TestKeysKeepThePaceOfThePage(t *testing.T) {
	b := pagetest.Show(t, `<button>Anything</button>`)
	const list = `<button id=b>Item</button><p id=out>0</p><script>
let n = 0; const moves = (e) => { if (e.key === 'ArrowUp') out.textContent = ++n; if (e.key === 'Enter') { document.removeEventListener('keydown', moves); out.textContent = 'dropped at ' + n } };
`
	for _, page := range []struct{ name, script, keys, want string }{
		{"listens after a timer", `b.onkeydown = (e) => { if (e.key === ' ') setTimeout(() => document.addEventListener('keydown', moves)) }`, "Space ArrowUp ArrowUp Enter", "dropped at 2"},
		{"listens after a frame", `b.onkeydown = (e) => { if (e.key === ' ') requestAnimationFrame(() => document.addEventListener('keydown', moves)) }`, "Space ArrowUp ArrowUp Enter", "dropped at 2"},
		{"takes one key a frame", `let busy = 0; b.onkeydown = (e) => { if (busy) return; busy = 1; requestAnimationFrame(() => { busy = 0; moves(e) }) }`, "ArrowUp ArrowUp ArrowUp Enter", "dropped at 3"},
		{"opens an editor with the first letter", `b.onkeydown = (e) => { if (e.key === 'Enter') return out.textContent = 'empty'; setTimeout(() => { out.innerHTML = '<input id=f>'; f.value = e.key; f.focus(); f.onkeydown = (e) => { if (e.key === 'Enter') out.textContent = f.value } }) ; e.preventDefault() }`, "t e a Enter", "tea"},
	} {
		b.Body(list + page.script + `</script>`)
		b.JS(`document.querySelector('#b').focus()`)
		if _, err := b.Keyboard.Press(b.Ctx, page.keys); err != nil {
			t.Fatal(err)
		}
		if got := b.JS(`document.querySelector('#out').textContent`); got != page.want {
			t.Errorf("%s: %q, want %q", page.name, got, page.want)
		}
	}
}
