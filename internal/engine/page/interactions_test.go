package page_test

import "testing"

// A click that keeps the page busy is reported with its duration, whether or not it changes the
// drawing.
func TestInteractionsAreTimed(t *testing.T) {
	tab := show(t, `<button id=still onclick="busy(60)">Still</button><button id=shown onclick="busy(40);this.textContent+='!'">Shown</button>
<script>function busy(ms){const t=performance.now();while(performance.now()-t<ms);}</script>`)
	if got, err := tab.Interactions(tab.ctx); err != nil || got.Count != 0 || len(got.MS) != 0 {
		t.Fatalf("before any: %+v, %v", got, err)
	}
	tab.click(tab.ref("#still"))
	got, err := tab.Interactions(tab.ctx)
	if err != nil || got.Count != 1 || len(got.MS) != 1 || got.MS[0] < 56 {
		t.Fatalf("after a click that took 60 ms: %+v, %v", got, err)
	}
	tab.click(tab.ref("#shown"))
	got, err = tab.Interactions(tab.ctx)
	if err != nil || got.Count != 2 || len(got.MS) != 2 || got.MS[0] < got.MS[1] || got.MS[1] < 32 {
		t.Fatalf("after two: %+v, %v", got, err)
	}
}
