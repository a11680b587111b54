package page_test

import (
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// chartPage draws a bar anew, from nothing to its full width, whenever it hears of another size.
const chartPage = `<!doctype html><style>
@media (max-width: 600px) { #fall { animation: late .6s both } } @keyframes late { from { background: #fff } to { background: #0f0 } }
div { position: absolute; left: 0; width: 60px; height: 40px } #fall { background: #0f0; top: 100px } #end { top: 1860px }
canvas { position: absolute; left: 0 }</style>
<canvas id=near width=60 height=40 style="top:0"></canvas><div id=fall></div><canvas id=far width=60 height=40 style="top:1400px"></canvas><div id=vh style="height:100vh;width:1px;left:300px"></div>%s
<script>
const heard = [];
let begun = 0;
function draw() {
  const part = Math.min(1, (performance.now() - begun) / 600);
  for (const chart of [near, far]) { const c = chart.getContext('2d'); c.clearRect(0, 0, 60, 40); c.fillStyle = '#0f0'; c.fillRect(0, 0, 60 * part, 40) }
  if (part < 1) requestAnimationFrame(draw);
}
function again(why) { heard.push(why); begun = performance.now(); draw() }
draw();
addEventListener('resize', () => again('resize'));
addEventListener('scroll', () => heard.push('scroll'));
addEventListener('animationstart', () => heard.push('animation'));
matchMedia('(max-width: 600px)').addEventListener('change', () => again('media query'));
new ResizeObserver(() => again('observed')).observe(vh);
</script>`

// A picture of what the viewport has changes nothing in the page. The first picture of more has the page hear of a
// size, and waits until it has settled; later ones change nothing.
func TestScreenshotLeavesThePage(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		more := ""
		if r.URL.Path == "/long" {
			more = "<div id=end></div>"
		}
		fmt.Fprintf(w, chartPage, more)
	}))
	t.Cleanup(srv.Close)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	green := color.RGBA{0, 255, 0, 255}
	shows := func(what string, args tooltest.Args, points ...[2]int) {
		t.Helper()
		img := tooltest.Picture(t, c.Do("page_screenshot", args), "image/png")
		for _, p := range points {
			if got := color.RGBAModel.Convert(img.At(p[0], p[1])); got != green {
				t.Errorf("%s: %v at %v of %v, want green", what, got, p, img.Bounds().Max)
			}
		}
	}
	quiet := func() {
		t.Helper()
		c.ExpectScript(`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(heard.splice(0).join() || 'nothing'))))`, "nothing")
	}
	settle := func() {
		c.WaitScript(`performance.now() - begun > 700`)
		c.ExpectScript(`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(heard.length = 0))))`, "0")
	}

	c.Call("navigate", tooltest.Args{"url": srv.URL + "/long"})
	settle()
	shows("the viewport", nil, [2]int{55, 20}, [2]int{55, 120})
	shows("a clip of it", tooltest.Args{"clip": []int{0, 0, 60, 140}}, [2]int{55, 20}, [2]int{55, 120})
	shows("the viewport made small", tooltest.Args{"max_side": 640}, [2]int{27, 10}, [2]int{27, 60})
	quiet()
	c.ExpectScript(`scrollTo(0, 1100)`, "")
	c.WaitScript(`scrollY === 1100`)
	settle()
	shows("a clip after a scroll", tooltest.Args{"clip": []int{0, 1400, 60, 40}}, [2]int{55, 20})
	quiet()
	shows("the whole page", tooltest.Args{"fullPage": true, "max_side": 2000}, [2]int{55, 20}, [2]int{55, 120}, [2]int{55, 1420})
	settle()
	shows("the whole page again", tooltest.Args{"fullPage": true, "max_side": 2000}, [2]int{55, 20}, [2]int{55, 120}, [2]int{55, 1420})
	shows("a clip above the viewport", tooltest.Args{"clip": []int{0, 0, 60, 140}}, [2]int{55, 20}, [2]int{55, 120})
	shows("the viewport", nil, [2]int{55, 320})
	quiet()
	c.ExpectScript(`scrollY`, "1100")

	c.Call("navigate", tooltest.Args{"url": srv.URL + "/long"})
	c.Call("emulate_device", tooltest.Args{"width": 400, "height": 300, "scale": 2})
	settle()
	shows("a scaled screen", tooltest.Args{"fullPage": true, "max_side": 2000}, [2]int{55, 20}, [2]int{55, 1420})
	shows("the viewport of a scaled screen", nil, [2]int{55, 20})
	c.ExpectScript(`[innerWidth, innerHeight, devicePixelRatio].join()`, "400,300,2")
}
