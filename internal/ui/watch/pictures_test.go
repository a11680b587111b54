package watch_test

import (
	"bytes"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestPicturesOfTheDocs takes the pictures of docs/how-to/watch.md, into the directory that CALLSHEET_UI_PICTURES names;
// see make ui-pictures.
func TestPicturesOfTheDocs(t *testing.T) {
	dir := os.Getenv("CALLSHEET_UI_PICTURES")
	if dir == "" {
		t.Skip("CALLSHEET_UI_PICTURES names no directory")
	}
	t.Chdir(t.TempDir()) // the question shows the path of the file
	if err := os.WriteFile("policy.yaml", []byte("version: 1\ndecisions:\n  - {tool: navigate, decision: ask}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := tooltest.NewOwnServer(t, app.Config{Policy: "policy.yaml"})
	person, _ := s.OpenUI()
	person.WaitScript(noQuestion)
	agent := s.Connect("shop-assistant", "", nil)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(shop))
	}))
	t.Cleanup(site.Close)
	open := navigateTo(t, agent, site.URL+"/lamps")
	person.WaitScript(questionIsOpen)
	person.Call("interact", tooltest.Args{"query": "this tool, for the session"})
	person.Call("interact", tooltest.Args{"query": "Allow button"})
	<-open
	agent.Call("read_page", nil)
	agent.Call("form_input", tooltest.Args{"query": "Search the shop", "value": "desk lamp"})
	agent.Do("interact", tooltest.Args{"query": "Add Arc lamp to the basket"})
	agent.Do("interact", tooltest.Args{"ref": "e99"})
	waiting := navigateTo(t, s.Connect("researcher", "", nil), site.URL+"/chairs")
	person.WaitScript(questionIsOpen)
	person.WaitScript("document.querySelectorAll('.call').length >= 4 && !document.querySelector('.screen img').hidden")
	person.Call("interact", tooltest.Args{"query": "Refs button"})
	person.WaitScript("document.querySelector('.box')")
	for name, layout := range tooltest.Layouts {
		person.Call("emulate_device", layout[0])
		person.Call("emulate_environment", layout[1])
		person.Call("javascript_tool", tooltest.Args{"code": "scrollTo(0, 0)"})
		shot := tooltest.Picture(t, person.Do("page_screenshot", nil), "image/png")
		data := reduce(t, shot)
		if len(data) > 100_000 {
			t.Errorf("the picture %s has %d bytes, want at most 100 kB", name, len(data))
		}
		if err := os.WriteFile(filepath.Join(dir, "ui-live-"+name+".png"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	person.Call("interact", tooltest.Args{"query": "Refuse button"})
	<-waiting
}

// shop is the page that the agent of the pictures works on.
const shop = `<!doctype html><html lang=en><meta charset=utf-8><title>Lamps – Harbour Lights</title><style>
body { margin: 0; font: 20px/1.5 system-ui, sans-serif; background: #fbf8f2; color: #2b2b2b }
header { background: #1d3b4f; color: #fff; padding: 24px 48px; display: flex; gap: 48px; align-items: center }
header input { flex: 1; font: inherit; padding: 10px 16px; border-radius: 8px; border: 0 }
main { padding: 32px 48px; display: grid; grid-template-columns: repeat(3, 1fr); gap: 32px }
article { background: #fff; border-radius: 12px; padding: 24px } .lamp { height: 220px; border-radius: 8px; margin-bottom: 16px }
button { font: inherit; background: #c2571a; color: #fff; border: 0; border-radius: 8px; padding: 10px 18px }</style>
<header><b>Harbour Lights</b><input aria-label="Search the shop"><span id=basket>Basket: 0</span></header><main>
<article><div class=lamp style="background:#e8c37a"></div><b>Arc lamp</b><p>€ 89</p><button aria-label="Add Arc lamp to the basket" onclick="basket.textContent='Basket: 1'">Add</button></article>
<article><div class=lamp style="background:#9fb8ad"></div><b>Desk lamp</b><p>€ 45</p><button aria-label="Add Desk lamp to the basket">Add</button></article>
<article><div class=lamp style="background:#c99a8d"></div><b>Wall lamp</b><p>€ 62</p><button aria-label="Add Wall lamp to the basket">Add</button></article></main>`

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
