package widget_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// drawnBudget is a slider whose track, bar and number take presses, too; it keeps its value in an input.
const drawnBudget = `<p>Budget</p><div><span style="display:block;position:relative;width:400px;height:30px">
<span class=line style="position:absolute;top:10px;left:0;width:400px;height:10px;background:#ccc"></span>
<span style="position:absolute;top:-8px;left:0">0</span><span style="position:absolute;top:-8px;right:0">100</span>
<span class=number style="position:absolute;top:-8px;left:110px;cursor:pointer">30</span>
<span class=bar style="position:absolute;top:10px;left:0;width:120px;height:10px;background:#39f"></span>
<span class=handle style="position:absolute;top:4px;left:110px;width:20px;height:20px;background:#333"></span></span>
<input readonly hidden value=30></div>
<script>for (const e of document.querySelectorAll('span span')) e.onmousedown = () => {}</script>`

func TestReadOfADrawnSlider(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, drawnBudget)
	got := b.Outline()
	if !strings.Contains(got, `] value "30" (0 to 100) near "Budget"`) || strings.Contains(got, "clickable") || strings.Count(got, "slider [e") != 1 {
		t.Errorf("the slider is not one line:\n%s", got)
	}
	found, err := b.Locate.Find(b.Ctx, "slider", locate.FindOptions{})
	if err != nil || found[0].Role != "slider" {
		t.Errorf("find gives %v, %v", found, err)
	}
}

// TestReadOfPorts lists the small elements at which a person begins and ends a line.
func TestReadOfPorts(t *testing.T) {
	t.Parallel()
	b := pagetest.Show(t, `<style>.port{width:14px;height:14px;cursor:crosshair;background:#39f}</style>
<div style="width:400px;height:200px;cursor:crosshair" class=board>Draw here</div>
<div style="display:flex;gap:90px"><div>Source<div class="port output output_1"></div></div><div>Sink<div class="port input input_1"></div></div></div>`)
	got := b.Outline()
	if !strings.Contains(got, "(.output_1)") || !strings.Contains(got, "(.input_1)") || strings.Contains(got, "board") {
		t.Errorf("the reading is\n%s", got)
	}
	for _, name := range []string{"input_1", "output_1"} {
		if found, err := b.Locate.Find(b.Ctx, name, locate.FindOptions{}); err != nil || len(found) == 0 ||
			found[0].Ref != b.Ref("."+name) || len(found) > 1 && found[1].Score == found[0].Score {
			t.Errorf("%s finds %v, %v", name, found, err)
		}
	}
}
