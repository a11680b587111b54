package read_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// A click that keeps the page busy is reported with its duration, whether or not it changes the
// drawing.
func TestInteractionsAreTimed(t *testing.T) {
	tab := pagetest.Show(t, `<button id=still onclick="busy(60)">Still</button><button id=shown onclick="busy(40);this.textContent+='!'">Shown</button>
<script>function busy(ms){const t=performance.now();while(performance.now()-t<ms);}</script>`)
	if got, err := tab.Read.Interactions(tab.Ctx); err != nil || got.Count != 0 || len(got.MS) != 0 {
		t.Fatalf("before any: %+v, %v", got, err)
	}
	tab.MustClick(tab.Ref("#still"))
	got, err := tab.Read.Interactions(tab.Ctx)
	if err != nil || got.Count != 1 || len(got.MS) != 1 || got.MS[0] < 56 {
		t.Fatalf("after a click that took 60 ms: %+v, %v", got, err)
	}
	tab.MustClick(tab.Ref("#shown"))
	got, err = tab.Read.Interactions(tab.Ctx)
	if err != nil || got.Count != 2 || len(got.MS) != 2 || got.MS[0] < got.MS[1] || got.MS[1] < 32 {
		t.Fatalf("after two: %+v, %v", got, err)
	}
}
