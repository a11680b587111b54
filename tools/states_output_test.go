package tools_test

import (
	"bytes"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestPicturesKeepToWhatAModelIsBilledFor(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/box"})
	if s := picture(t, c.raw("page_screenshot", args{"fullPage": true}), "image/png").Bounds().Size(); s != (image.Point{X: 669, Y: 1568}) {
		t.Errorf("a page of 1280×3000 is shown as %v", s)
	}
	for _, format := range []string{"png", "jpeg"} {
		if s := picture(t, c.raw("page_screenshot", args{"max_side": 320, "format": format}), "image/"+format).Bounds().Size(); s != (image.Point{X: 320, Y: 180}) {
			t.Errorf("%s: the viewport at most 320 wide is %v", format, s)
		}
	}
	c.says("page_screenshot", args{"max_side": 320}, "320×180", "scale 0.25")
	img := picture(t, c.raw("page_screenshot", args{"ref": refOf(t, c.call("read_page", nil), "Blue")}), "image/png")
	if s := img.Bounds().Size(); s != (image.Point{X: 120, Y: 40}) || color.RGBAModel.Convert(img.At(60, 20)) != (color.RGBA{0, 0, 255, 255}) {
		t.Errorf("the element is %v and %v", s, img.At(60, 20))
	}
	c.call("navigate", args{"url": home + "/tall"})
	res := c.raw("page_screenshot", args{"fullPage": true})
	links := linksOf(res)
	if len(links) != 1 || links[0].MIMEType != "image/png" || !strings.Contains(textOf(res), "too large to show") {
		t.Fatalf("a page too tall to show gives %s, %v", textOf(res), links)
	}
	kept, _, err := image.Decode(strings.NewReader(c.content(links[0].URI)))
	if err != nil || kept.Bounds().Dx() != 1280 || kept.Bounds().Dy() < 6000 {
		t.Errorf("the kept picture is %v, %v", kept, err)
	}
	picture(t, c.raw("page_screenshot", args{"fullPage": true, "max_side": 1000}), "image/png")
	c.says("page_screenshot", args{"fullPage": true, "path": "tall.png"}, "tall.png", "1280×60")
	c.refused("INVALID_ARGUMENTS", "page_screenshot", args{"max_side": 1}, "max_side")
	c.refused("NOT_FOUND", "page_screenshot", args{"ref": "e9999"})
	c.refused("POLICY_DENIED", "page_screenshot", args{"path": "/etc/x.png"}, `"surface":"file"`)
}

func TestPagesPrint(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/tall"})
	res := c.raw("page_pdf", nil)
	links := linksOf(res)
	if len(links) != 1 || links[0].MIMEType != "application/pdf" || !strings.HasPrefix(c.content(links[0].URI), "%PDF-") {
		t.Fatalf("%s, %v", textOf(res), links)
	}
	whole := textOf(res)
	if !strings.Contains(whole, "printed ") || strings.Contains(whole, "printed 1 pages") {
		t.Errorf("a page of 6000 px prints as %s", whole)
	}
	c.says("page_pdf", args{"pageRanges": "1-2"}, "printed 2 pages")
	c.says("page_pdf", args{"path": "out/a.pdf", "landscape": true, "margin": "1in 2cm", "format": "A3", "headerFooter": true, "scale": 0.5}, "a.pdf")
	data, err := os.ReadFile(filepath.Join(c.Output, "out", "a.pdf"))
	if err != nil || !bytes.HasPrefix(data, []byte("%PDF-")) || !bytes.Contains(data, []byte("MediaBox [0 0 1190")) && !bytes.Contains(data, []byte("MediaBox [0 0 1191")) {
		t.Errorf("the file: %d bytes, %v", len(data), err)
	}
	c.refused("INVALID_ARGUMENTS", "page_pdf", args{"margin": "wide"}, "/margin")
	c.refused("INVALID_ARGUMENTS", "page_pdf", args{"scale": 3}, "/scale")
	c.refused("POLICY_DENIED", "page_pdf", args{"path": "../a.pdf"})
	c.refused("FAILED", "page_pdf", args{"pageRanges": "900-901"})
}
