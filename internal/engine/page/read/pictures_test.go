package read_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// A control that a click inserts is read with its picture: the action waits for one that comes soon, and a control
// without a size is listed while its picture loads.
func TestPicturesThatStillLoad(t *testing.T) {
	picture := func(after time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(after):
			case <-r.Context().Done():
			}
			w.Header().Set("Content-Type", "image/svg+xml")
			w.Header().Set("Cache-Control", "no-store")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20"/></svg>`)
		}
	}
	tab := pagetest.Open(t, map[string]any{"/soon.svg": picture(150 * time.Millisecond), "/late.svg": picture(time.Minute), "/": `<!doctype html><style>.tool{display:inline-block}
.drawn{content:url(/soon.svg?drawn)}.stuck{content:url(/late.svg?drawn)}</style><button id=b onclick="made.innerHTML=parts[+this.dataset.n]">Add</button><div id=made></div>
<script>parts=['<div class=tool onclick="1" title=Pen><img src=/soon.svg></div><p>Kept</p>','<span class="tool drawn" onclick="1" title=Brush></span>','<img src=/soon.svg?own onclick="1" title=Ink>',
'<div class=tool onclick="1" title=Chalk><img src=/late.svg></div>','<a href=/x title=Stuck class="tool stuck"></a>','<div class=tool onclick="1" title=Broken><img></div>','<input type=image src=/soon.svg?button alt=Send>']</script>`})
	for i, want := range []string{`clickable "Pen" [`, `clickable "Brush" [`, `img "Ink" [`, `clickable "Chalk" [`, `link "Stuck" [`, "", `button "Send" [`} {
		tab.JS(fmt.Sprintf("b.dataset.n=%d", i))
		tab.MustClick(tab.Ref("#b"))
		text := tab.Outline()
		if want != "" && !strings.Contains(text, want) || strings.Contains(text, "Broken") {
			t.Errorf("part %d reads\n%s", i, text)
		}
		if sized := tab.JS("made.firstElementChild.offsetWidth > 0"); (i < 3 || i == 6) && sized != "true" {
			t.Errorf("part %d has no size when the click is answered", i)
		}
	}
}
