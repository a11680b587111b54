package settle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// An effect is the difference between the ends of an action: what came and left within it is no change.
func TestEffectLeavesOutWhatCameAndLeft(t *testing.T) {
	b := pagetest.Show(t, `<p id=out>-</p><ul id=list><li>Kept</li></ul><button>Go</button><script>
measure = (html) => { const m = document.createElement('div'); document.body.append(m); m.innerHTML = html; m.offsetWidth; m.remove() }</script>`)
	for name, c := range map[string]struct {
		click string
		want  []string
	}{
		"measured":       {"m=document.createElement('span');m.textContent='measured';document.body.append(m);m.offsetWidth;m.remove();out.textContent='done'", []string{"+ done"}},
		"measured parts": {"measure('<b>one</b>');measure('<i>two</i>');out.textContent='parts'", []string{"+ parts"}},
		"each prefix":    {"for(const x of ['t','te','tex','text'])out.innerHTML='<b>'+x+'</b>'", []string{"+ text"}},
		"inside":         {"d=document.createElement('div');list.append(d);d.innerHTML='<b>draft</b>';d.firstChild.remove();d.textContent='final'", []string{"+ final"}},
		"moved and left": {"li=document.querySelector('li');document.body.append(li);li.remove()", []string{"- Kept"}},
	} {
		b.JS("(out.textContent='',list.innerHTML='<li>Kept</li>',document.querySelector('button').onclick=()=>{" + c.click + "},1)")
		if e := b.MustClick(b.Ref("button")); !slices.Equal(e.Changes, c.want) {
			t.Errorf("%s: %q, want %q", name, e.Changes, c.want)
		}
	}
}

// A dialog that fades out is closed, although it can still be seen.
func TestEffectKnowsAClosingDialog(t *testing.T) {
	tab := pagetest.Show(t, "")
	for name, style := range map[string]string{
		"transition":    ".out{opacity:0;transition:opacity 20s}",
		"animation":     ".out{animation:fade 20s forwards}@keyframes fade{to{opacity:0}}",
		"of its parent": "main:has(.out){animation:fade 20s forwards}@keyframes fade{to{opacity:0}}",
		"shrinking":     ".out{transform:scale(0);transition:transform 20s}",
	} {
		b := tab.Row(t, `<style>`+style+`</style><main><div role=dialog aria-label=Rename id=d>Rename it</div><button onclick="d.className='out'">Close</button></main>`)
		if text := strings.Join(b.MustClick(b.Ref("button")).Changes, "\n"); strings.Contains(text, "shown") || !strings.Contains(text, `dialog "Rename" closed`) {
			t.Errorf("%s: %q", name, text)
		}
	}
	b := pagetest.Show(t, `<style>.in{opacity:1!important;transition:opacity 20s}</style><div role=dialog aria-label=Rename id=d style="opacity:0.1">Rename it</div><button onclick="d.className='in'">Open</button>`)
	if e := b.MustClick(b.Ref("button")); !slices.Contains(e.Changes, `dialog "Rename" shown`) {
		t.Errorf("fading in: %q", e.Changes)
	}
}
