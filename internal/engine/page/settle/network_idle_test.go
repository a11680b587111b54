package settle_test

import (
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// The request for the document of a frame of another site begins in one session and ends in
// another: the network must become idle all the same, and an action must not wait for it.
func TestNetworkIdleBesideFrameOfOtherSite(t *testing.T) {
	at := pagetest.ServeHosts(t, map[string]string{"/leaf": pagetest.LeafDocument, "/next": "<title>Next</title>"})
	b := pagetest.Open(t, map[string]any{"/": `<!doctype html><title>Outer</title><button id=add>Add</button><button id=move>Move</button>
<script>add.onclick = () => { const f = document.createElement('iframe'); f.src = '` + at("localhost", "/leaf") + `'; document.body.append(f) }
move.onclick = () => { document.querySelector('iframe').src = '` + at("b.localhost", "/next") + `' }</script>`})
	for _, css := range []string{"#add", "#move"} {
		if e := b.MustClick(b.Ref(css)); e.Pending != "" {
			t.Errorf("%s: %+v", css, e)
		}
		b.Outline() // the frame's session is followed from here on
		if _, err := b.Settle.WaitFor(b.WithTimeout(time.Minute), settle.WaitOptions{Idle: true}); err != nil {
			t.Errorf("%s: the network is never idle: %v", css, err)
		}
	}
}
