package viewtest_test

import (
	"bytes"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
)

// TestPicturesOfTheDocs takes the pictures of the views, into the directory that CALLSHEET_UI_PICTURES
// names.
func TestPicturesOfTheDocs(t *testing.T) {
	dir := os.Getenv("CALLSHEET_UI_PICTURES")
	if dir == "" {
		t.Skip("CALLSHEET_UI_PICTURES names no directory")
	}
	s := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	home, _ := serveCounter(t)
	site := httptest.NewServer(crawltest.New(crawltest.Options{Pages: 12}))
	t.Cleanup(site.Close)
	agent := s.Connect("shop-assistant", "", nil)
	agent.Call("crawl", tooltest.Args{"url": site.URL, "max_pages": 12, "delay_ms": 0, "render": "never", "wait": 60000})
	first := recordVisit(t, agent, home, "Order a lamp", "Order")
	second := recordVisit(t, agent, home, "Order a lamp, a day later", "Leave", func() { agent.Call("page_reload", nil) })
	agent.ExpectRefusal("NOT_FOUND", "oc_recording_export", tooltest.Args{"recordingId": "rec-none"})
	person, _ := s.OpenUI()
	for _, view := range []struct{ name, address, ready string }{
		{"surface", "#/surface", "document.querySelector('.matrix')"},
		{"compare", "#/recordings/compare/" + first + "/" + second, "document.querySelector('.pairs li.changed')"},
		{"jobs", "#/jobs", "document.querySelector('.lines li a')"},
		{"journal", "#/journal", "document.querySelector('.entry')"},
	} {
		open(person, view.address, view.ready)
		person.Call("javascript_tool", tooltest.Args{"code": "document.querySelector('main details')?.removeAttribute('open'); 0"})
		for name, layout := range tooltest.Layouts {
			person.Call("emulate_device", layout[0])
			person.Call("emulate_environment", layout[1])
			person.Call("javascript_tool", tooltest.Args{"code": "scrollTo(0, 0)"})
			data := reduce(t, tooltest.Picture(t, person.Do("page_screenshot", nil), "image/png"))
			if len(data) > 100_000 {
				t.Errorf("the picture %s, %s has %d bytes, want at most 100 kB", view.name, name, len(data))
			}
			if err := os.WriteFile(filepath.Join(dir, "ui-"+view.name+"-"+name+".png"), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// reduce encodes a picture with few colors.
func reduce(t *testing.T, from image.Image) []byte {
	t.Helper()
	to := image.NewPaletted(from.Bounds(), append(color.Palette{}, palette.WebSafe...))
	for i := range 16 {
		to.Palette = append(to.Palette, color.Gray{Y: uint8(i * 17)})
	}
	draw.Draw(to, to.Bounds(), from, from.Bounds().Min, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
