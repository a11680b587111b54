package read_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// Lines tell what a person sees of a control: its label, value, limits and what is wrong with it.
func TestReadDescribesControls(t *testing.T) {
	b := pagetest.Show(t, `<style>.track{position:relative;width:200px;height:8px}.track i{position:absolute;left:95px;width:10px;height:10px}</style>
<p>Brightness</p><div class=track><i role=slider tabindex=0 aria-valuenow=40 aria-valuemin=0 aria-valuemax=100></i></div>
<p>Volume</p><div class=track><i role=slider tabindex=0></i></div><input type=range aria-label=Zoom min=1 max=9 value=3>
<input aria-label=Mail aria-invalid=true aria-describedby=m><p id=m>Not an address</p>
<button class="fa fa-trash fa-2x"></button><div tabindex=0 id=pane><p>Text</p></div><div tabindex=0 class="box"><button>Go</button></div>
<table><tr><th aria-sort=ascending>Name<th>Age<tr><td>Ada<td><tr><td><td>9</table>`)
	text := b.Outline()
	for _, want := range []string{
		`slider [e1] value "40" (0 to 100) near "Brightness"`, `slider [e2] at 50 % near "Volume"`, `slider "Zoom" [e3] value "3" (1 to 9)`,
		`textbox "Mail" [e4] invalid "Not an address"`, `button [e5] (.fa-trash)`, "\n- button \"Go\"",
		"row: Name sorted ascending | Age\n", "row: Ada |\n", "row:  | 9\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "#pane") {
		t.Errorf("a hint beside content:\n%s", text)
	}
}
