package tools_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// TestDrawnSlidersAreMovedByKeys: sliders that are no inputs, of several habits.
func TestDrawnSlidersAreMovedByKeys(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Sliders</title><link rel=icon href=data:,><style>div{width:200px;height:20px}</style>
<div role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=100 aria-valuenow=30></div>
<div role=slider tabindex=0 aria-label=Sideways data-only=side aria-valuemin=0 aria-valuemax=100 aria-valuenow=30 data-by=5></div>
<div role=spinbutton tabindex=0 aria-label=Count aria-valuenow=2></div>
<div role=slider tabindex=0 aria-label=Deaf data-only=none aria-valuenow=2></div>
<div role=slider tabindex=0 aria-label=Silent></div><div role=slider aria-label=Unfocused aria-valuenow=1></div>
<script>for (const el of document.querySelectorAll('[tabindex]')) el.addEventListener('keydown', (e) => {
  const only = el.dataset.only, by = +(el.dataset.by ?? 1);
  const d = {ArrowUp: only ? 0 : 1, ArrowDown: only ? 0 : -1, ArrowRight: only === 'none' ? 0 : 1, ArrowLeft: only === 'none' ? 0 : -1}[e.key] ?? 0;
  el.setAttribute('aria-valuenow', +el.getAttribute('aria-valuenow') + d * by);
})</script>`)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": srv.URL})
	ref := func(name string) string { t.Helper(); return refOf(t, c.call("read_page", nil), `"`+name+`"`) }
	for name, to := range map[string]string{"Volume": "41", "Sideways": "15", "Count": "-1"} {
		c.call("form_input", args{"ref": ref(name), "value": to})
		c.says("javascript_tool", args{"code": `document.querySelector('[aria-label=` + name + `]').getAttribute('aria-valuenow')`}, to)
	}
	for name, in := range map[string][2]string{
		"Volume": {"101", "it goes from 0 to 100"}, "Sideways": {"42", "it moves in steps, from 40 to 45"}, "Deaf": {"3", "does not follow the arrow keys"},
		"Silent": {"3", "aria-valuenow"}, "Unfocused": {"3", "takes no focus"}, "Count": {"many", "takes a number"},
	} {
		if res := c.raw("form_input", args{"ref": ref(name), "value": in[0]}); !res.IsError || !strings.Contains(textOf(res), in[1]) {
			t.Errorf("%s and %s: %s", name, in[0], textOf(res))
		}
	}
}
