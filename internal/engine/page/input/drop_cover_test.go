package input_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// coveredZone is a drop zone for a mouse-driven drag that something may lie over.
const coveredZone = `<style>#a,#zone{position:absolute;left:20px;width:120px;height:60px;background:#cde}#zone{top:200px}#cover{position:absolute;background:#fff}</style>
<div id=a tabindex=0>Parcel</div><div id=zone tabindex=0>Zone</div>COVER<script>
var dropped = 'nothing'; a.onmousedown = (e) => { e.preventDefault(); START
  addEventListener('mouseup', (e) => { dropped = e.target.id + (e.target === zone ? '' : ' not zone') }, { once: true }) }</script>`

func coverZone(cover, start string) string {
	return strings.NewReplacer("COVER", cover, "START", start).Replace(coveredZone)
}

func TestDragRefusesACoveredTarget(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, coverZone(`<div id=cover role=dialog aria-label=Cookies style="left:0;top:190px;width:300px;height:100px">Cookies</div>`, ""))
	from, to := input.Target{Ref: b.Ref("#a")}, input.Target{Ref: b.Ref("#zone")}
	for _, at := range []input.DropPosition{input.DropInside, input.DropBefore} {
		_, err := b.Mouse.Drag(b.Ctx, from, to, input.DragOptions{Position: at})
		refused, ok := errors.AsType[*document.NotActionableError](err)
		if !ok || refused.Ref != to.Ref || refused.Covering == nil || refused.Covering.Name != "Cookies" {
			t.Errorf("%s: a drop on a covered target gives %v", at, err)
		}
	}
	if got := b.JS("dropped"); got != "nothing" {
		t.Errorf("the button came up over %s", got)
	}
	// A point and an offset say where to drop whatever is there.
	if _, err := b.Mouse.Drag(b.Ctx, from, input.Target{Point: &document.Point{X: 80, Y: 230}}, input.DragOptions{}); err != nil || b.JS("dropped") != "cover not zone" {
		t.Errorf("to a point: %v, dropped on %s", err, b.JS("dropped"))
	}
	if _, err := b.Mouse.Drag(b.Ctx, input.Target{Point: &document.Point{X: 80, Y: 40}}, to, input.DragOptions{}); err != nil {
		t.Errorf("from a point: %v", err)
	}
}

// TestDragDropsBesideACover drops where the target is free, also where only scrolling frees it.
func TestDragDropsBesideACover(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, "")
	for name, fixture := range map[string]string{
		"middle":  coverZone(`<div id=cover style="left:50px;top:195px;width:50px;height:70px">Ad</div>`, ""),
		"half":    coverZone(`<div id=cover style="left:0;top:190px;width:100px;height:90px">Ad</div>`, ""),
		"leaving": coverZone(`<div id=cover style="left:0;top:190px;width:300px;height:90px">Wait</div><script>setTimeout(() => cover.remove(), 2500)</script>`, ""),
		"ghost":   coverZone("", `const ghost = document.createElement('div'); ghost.id = 'cover'; ghost.style.cssText = 'left:0;top:0;width:100%;height:100%;opacity:.2;pointer-events:none'; document.body.append(ghost)`),
		"source":  coverZone(`<script>a.style.cssText = 'top:180px;height:100px;z-index:2'; a.addEventListener('mousedown', () => { a.style.pointerEvents = 'none' })</script>`, ""),
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, fixture)
			drag(b, "#a", "#zone", input.DropInside)
			if got := b.JS("dropped"); got != "zone" {
				t.Errorf("dropped on %s", got)
			}
		})
	}
}

// TestDragOntoAZoneThatAppears drops on what the page lays over a target only while something is dragged.
func TestDragOntoAZoneThatAppears(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, coverZone("", `const over = document.createElement('div'); over.id = 'cover'; over.style.cssText = 'left:0;top:150px;width:400px;height:200px'; document.body.append(over)`))
	drag(b, "#a", "#zone", input.DropInside)
	if got := b.JS("dropped"); got != "cover not zone" {
		t.Errorf("dropped on %s", got)
	}
}

// TestDragInAClearLayer drags what lies in a clear layer over its targets, as events of calendars do.
func TestDragInAClearLayer(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<style>div{position:absolute}</style><div id=zone tabindex=0 style="left:20px;top:200px;width:120px;height:60px;background:#cde">Zone</div>
<div id=layer style="inset:0"><div id=a tabindex=0 style="width:80px;height:30px;background:#eee">Event</div></div>
<script>var at = ''; a.onmousedown = (e) => { e.preventDefault(); addEventListener('mouseup', (e) => { at = e.clientX + ',' + e.clientY }, { once: true }) }</script>`)
	drag(b, "#a", "#zone", input.DropInside)
	if got := b.JS("at"); got != "80,230" {
		t.Errorf("dropped at %s", got)
	}
}
