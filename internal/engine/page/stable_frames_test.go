package page_test

import (
	"slices"
	"testing"
)

// A click is reported with what the page does in the frames that it asks for, and a
// page that asks for every frame does not hold it.
func TestRestFollowsFrames(t *testing.T) {
	b := show(t, `<button id=raf onclick="requestAnimationFrame(()=>requestAnimationFrame(()=>out.textContent='Drawn'))">Later</button>
<button id=timer onclick="setTimeout(()=>out.textContent='Timed',0)">Timer</button>
<button id=task onclick="const c=new MessageChannel;c.port1.onmessage=()=>out.textContent='Posted';c.port2.postMessage(0)">Task</button>
<button id=loop onclick="(function f(){requestAnimationFrame(f)})()">Loop</button><p id=out></p>`)
	for range 5 {
		for css, want := range map[string]string{"#raf": "+ Drawn", "#timer": "+ Timed", "#task": "+ Posted"} {
			b.js(`out.textContent=''`)
			if e := b.click(b.ref(css)); !slices.Contains(e.Changes, want) {
				t.Errorf("%s: %+v", css, e)
			}
		}
	}
	b.click(b.ref("#loop"))
	if e := b.click(b.ref("#timer")); !slices.Contains(e.Changes, "+ Timed") || e.Pending != "" {
		t.Errorf("beside a loop: %+v", e)
	}
}
