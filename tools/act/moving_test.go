package act_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestMovingElementsAreHitWhenAsked clicks a button that never rests by ref, by words and as a step.
func TestMovingElementsAreHitWhenAsked(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>Moves</title><style>@keyframes go { from { left: 0 } to { left: 500px } }
			#x { position: absolute; width: 60px; height: 30px; animation: go 2s linear infinite alternate }</style>
			<button id=x onclick="document.title += '.'">Catch</button>`))
	}))
	t.Cleanup(site.Close)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": site.URL})
	ref := nthRef(c.Call("read_page", nil), `button "Catch"`, 0)
	c.ExpectRefusal("NOT_ACTIONABLE", "interact", tooltest.Args{"ref": ref}, "moving: true")
	c.Expect("interact", tooltest.Args{"ref": ref, "moving": true}, `clicked button "Catch"`)
	c.Expect("interact", tooltest.Args{"query": "Catch", "moving": true}, `clicked button "Catch"`)
	c.Expect("computer", tooltest.Args{"action": "left_click", "ref": ref, "moving": true}, `clicked button "Catch"`)
	c.Expect("act", tooltest.Args{"steps": []tooltest.Args{{"action": "click", "query": "Catch", "moving": true}}}, `clicked button "Catch"`)
	c.ExpectScript("document.title", "Moves....")
	c.ExpectRefusal("INVALID_ARGUMENTS", "act", tooltest.Args{"steps": []tooltest.Args{{"action": "type", "value": "x", "moving": true}}}, "moving")
	c.ExpectRefusal("INVALID_ARGUMENTS", "computer", tooltest.Args{"action": "wait", "moving": true}, "moving")
}
