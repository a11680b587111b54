package input_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// TestPlacesInTurnedFrames presses the middle of each box that a reading, a search and a list of controls give of an element
// in a frame of another site.
func TestPlacesInTurnedFrames(t *testing.T) {
	t.Parallel()
	at := pagetest.ServeHosts(t, map[string]string{
		"/leaf":  `<!doctype html><body style="margin:0"><div style="padding:60px 0 0 150px"><button style="width:40px;height:16px;padding:0;font-size:9px" onclick="parent.postMessage(1, '*')">Go</button></div><p style="margin:20px 0 0 200px">Words</p>`,
		"/inner": `<!doctype html><script>onmessage = () => parent.postMessage(1, '*')</script><iframe style="width:300px;height:120px;rotate:20deg;margin:40px" src="http://c.localhost:PORT/leaf"></iframe>`,
	})
	other := func(style, path string) string {
		return fmt.Sprintf(`<script>hits = 0; onmessage = () => hits++</script><iframe style="width:300px;height:130px;border:5px solid;%s" src="%s"></iframe>`, style, at("b.localhost", path))
	}
	place := regexp.MustCompile(`button "Go" \[e\d+\] @(-?\d+),(-?\d+) (\d+)×(\d+)`)
	words := regexp.MustCompile(`Words @(-?\d+),(-?\d+) (\d+)×(\d+)`)
	b := pagetest.Show(t, "")
	for _, row := range []struct {
		name, body    string
		width, height float64 // of the button
	}{
		{"as it is", other("", "/leaf"), 40, 16},
		{"scaled", other("scale:.5", "/leaf"), 20, 8},
		{"turned", `<div style="padding:150px">` + other("transform:rotate(90deg)", "/leaf") + `</div>`, 16, 40},
		{"zoomed", other("zoom:1.5", "/leaf"), 60, 24},
		{"in turned parents", `<div style="scale:.8;width:500px"><div style="rotate:-90deg;padding:200px">` + other("", "/leaf") + `</div></div>`, 12.8, 32},
		{"in a frame of a frame", other("width:450px;height:300px;scale:1.1;margin:30px", "/inner"), 0, 0},
	} {
		b.Body(row.body)
		text := b.MustRead(read.Options{Boxes: true}).Text
		boxes := map[string]document.Box{"reading": boxOf(t, place, text)}
		if all, _, err := b.Read.Observe(b.Ctx, read.ObserveOptions{Limit: 20}); err == nil && len(all) > 0 {
			boxes["controls"] = all[len(all)-1].Box
		}
		found, err := b.Locate.Find(b.Ctx, "Go", locate.FindOptions{})
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", row.name, err)
		}
		boxes["search"] = found[0].Box
		if info, err := b.Document.Describe(b.Ctx, found[0].Ref); err == nil {
			boxes["description"] = info.Box
		}
		for kind, box := range boxes {
			if row.width > 0 && math.Abs(box.Width-row.width)+math.Abs(box.Height-row.height) > 2 {
				t.Errorf("%s: the %s says %+v", row.name, kind, box)
			}
			before := b.JS("hits")
			middle := document.Point{X: box.X + box.Width/2, Y: box.Y + box.Height/2}
			if _, err := b.Mouse.Click(b.Ctx, input.Target{Point: &middle}, input.ClickOptions{}); err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
			b.JS("new Promise(done => { const begun = Date.now(), look = () => hits > " + before + " || Date.now() - begun > 1000 ? done(1) : setTimeout(look, 20); look() })")
			if b.JS("hits") == before {
				t.Errorf("%s: the %s says %+v, where the button is not", row.name, kind, box)
			}
		}
		if len(boxes) != 4 {
			t.Errorf("%s: %d of 4 boxes", row.name, len(boxes))
		}
		if text, button := boxOf(t, words, text), boxes["reading"]; row.name == "turned" && (text.Y < button.Y || text.X > button.X || text.Height < text.Width) {
			t.Errorf("%s: the text is at %+v, the button at %+v", row.name, text, button)
		}
	}
}

// boxOf returns the box that a line of a reading has.
func boxOf(t *testing.T, line *regexp.Regexp, text string) document.Box {
	t.Helper()
	m := line.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in\n%s", line, text)
	}
	var n [4]float64
	for i := range n {
		n[i], _ = strconv.ParseFloat(m[i+1], 64)
	}
	return document.Box{X: n[0], Y: n[1], Width: n[2], Height: n[3]}
}
