package page_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestScreenshot(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/colour.html"})
	at := func(img image.Image, x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	red, blue := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}

	img := tooltest.Picture(t, c.Do("page_screenshot", nil), "image/png")
	if s := img.Bounds().Size(); s != (image.Point{X: 1280, Y: 720}) || at(img, 10, 10) != blue || at(img, 600, 10) != red {
		t.Errorf("the viewport is %v with %v and %v", s, at(img, 10, 10), at(img, 600, 10))
	}
	img = tooltest.Picture(t, c.Do("page_screenshot", tooltest.Args{"fullPage": true, "max_side": 4000}), "image/png")
	if s := img.Bounds().Size(); s.Y != 2000 || at(img, 10, 1990) != blue {
		t.Errorf("the full page is %v", s)
	}
	img = tooltest.Picture(t, c.Do("page_screenshot", tooltest.Args{"clip": []float64{40, 0, 20, 10}}), "image/png")
	if s := img.Bounds().Size(); s != (image.Point{X: 20, Y: 10}) || at(img, 5, 5) != blue || at(img, 15, 5) != red {
		t.Errorf("the clip is %v", s)
	}
	tooltest.Picture(t, c.Do("page_screenshot", tooltest.Args{"format": "jpeg", "quality": 1}), "image/jpeg")
	tooltest.Picture(t, c.Do("computer", tooltest.Args{"action": "screenshot"}), "image/png")

	c.Expect("page_screenshot", tooltest.Args{"path": "shots/a.png"}, "a.png", "1280×720")
	data, err := os.ReadFile(filepath.Join(c.Output, "shots", "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Errorf("the file is no PNG: %v", err)
	}
	c.ExpectRefusal("POLICY_DENIED", "page_screenshot", tooltest.Args{"path": "../a.png"}, `"surface":"file"`)
}

func TestScreenshotSizeLimit(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/box"})
	if s := tooltest.Picture(t, c.Do("page_screenshot", tooltest.Args{"fullPage": true}), "image/png").Bounds().Size(); s != (image.Point{X: 669, Y: 1568}) {
		t.Errorf("a page of 1280×3000 is shown as %v", s)
	}
	for _, format := range []string{"png", "jpeg"} {
		if s := tooltest.Picture(t, c.Do("page_screenshot", tooltest.Args{"max_side": 320, "format": format}), "image/"+format).Bounds().Size(); s != (image.Point{X: 320, Y: 180}) {
			t.Errorf("%s: the viewport at most 320 wide is %v", format, s)
		}
	}
	c.Expect("page_screenshot", tooltest.Args{"max_side": 320}, "320×180", "scale 0.25")
	img := tooltest.Picture(t, c.Do("page_screenshot", tooltest.Args{"ref": tooltest.Ref(t, c.Call("read_page", nil), "Blue")}), "image/png")
	if s := img.Bounds().Size(); s != (image.Point{X: 120, Y: 40}) || color.RGBAModel.Convert(img.At(60, 20)) != (color.RGBA{0, 0, 255, 255}) {
		t.Errorf("the element is %v and %v", s, img.At(60, 20))
	}
	c.Call("navigate", tooltest.Args{"url": home + "/tall"})
	res := c.Do("page_screenshot", tooltest.Args{"fullPage": true})
	links := tooltest.Links(res)
	if len(links) != 1 || links[0].MIMEType != "image/png" || !strings.Contains(tooltest.Text(res), "too large to show") {
		t.Fatalf("a page too tall to show gives %s, %v", tooltest.Text(res), links)
	}
	kept, _, err := image.Decode(strings.NewReader(c.ReadArtifact(links[0].URI)))
	if err != nil || kept.Bounds().Dx() != 1280 || kept.Bounds().Dy() < 6000 {
		t.Errorf("the kept picture is %v, %v", kept, err)
	}
	tooltest.Picture(t, c.Do("page_screenshot", tooltest.Args{"fullPage": true, "max_side": 1000}), "image/png")
	c.Expect("page_screenshot", tooltest.Args{"fullPage": true, "path": "tall.png"}, "tall.png", "1280×60")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_screenshot", tooltest.Args{"max_side": 1}, "max_side")
	c.ExpectRefusal("NOT_FOUND", "page_screenshot", tooltest.Args{"ref": "e9999"})
	c.ExpectRefusal("POLICY_DENIED", "page_screenshot", tooltest.Args{"path": "/etc/x.png"}, `"surface":"file"`)
}

// Pictures are in CSS pixels, whatever the screen has for each, and the sizes told are those of the files.
func TestScreenshotOfAScaledScreen(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home + "/box"})
	for _, scale := range []float64{2, 2.625, 1.5, 0.5} {
		c.Call("emulate_device", tooltest.Args{"width": 400, "height": 300, "scale": scale})
		for _, shot := range []struct {
			tool string
			args tooltest.Args
			size image.Point
			said string
		}{
			{"page_screenshot", nil, image.Point{X: 400, Y: 300}, ""},
			{"page_screenshot", tooltest.Args{"max_side": 100}, image.Point{X: 100, Y: 75}, "100×75 pixels at scale 0.25"},
			{"page_screenshot", tooltest.Args{"clip": []int{0, 0, 37, 21}}, image.Point{X: 37, Y: 21}, ""},
			{"page_screenshot", tooltest.Args{"clip": []int{10, 10, 200, 100}, "max_side": 100}, image.Point{X: 100, Y: 50}, "100×50"},
			{"page_screenshot", tooltest.Args{"max_side": 299}, image.Point{X: 299, Y: 224}, "299×224"},
			{"page_screenshot", tooltest.Args{"clip": []int{0, 2000, 40, 30}}, image.Point{X: 40, Y: 30}, ""},
			{"page_screenshot", tooltest.Args{"fullPage": true, "max_side": 1999}, image.Point{X: 267, Y: 1999}, "267×1999"},
			{"computer", tooltest.Args{"action": "screenshot"}, image.Point{X: 400, Y: 300}, ""},
			{"vision_find", nil, image.Point{X: 400, Y: 300}, ""},
		} {
			res := c.Do(shot.tool, shot.args)
			if size := tooltest.Picture(t, res, "image/png").Bounds().Size(); size != shot.size || !strings.Contains(tooltest.Text(res), shot.said) {
				t.Errorf("%s %v at %v pixels each is %v and says %q, want %v, %q", shot.tool, shot.args, scale, size, tooltest.Text(res), shot.size, shot.said)
			}
		}
	}
	c.Expect("page_screenshot", tooltest.Args{"path": "a.png"}, "400×300,")
}

// No picture in an answer has a side over 2,000 pixels: it is smaller and says its scale, or is kept.
func TestScreenshotsInAnswersAreBounded(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home + "/box"})
	c.Call("emulate_device", tooltest.Args{"width": 4000, "height": 400, "scale": 1})
	for _, args := range []tooltest.Args{{"max_side": 4000}, {"max_side": 16384, "fullPage": true}, {"clip": []int{0, 0, 2001, 10}, "max_side": 2100}, {"format": "jpeg", "max_side": 2500}} {
		res := c.Do("page_screenshot", args)
		if links := tooltest.Links(res); len(links) != 1 || len(res.Content) != 2 || !strings.Contains(tooltest.Text(res), "too large to show") {
			t.Errorf("%v: %s, %v", args, tooltest.Text(res), links)
		}
	}
	for tool, args := range map[string]tooltest.Args{"computer": {"action": "screenshot"}, "vision_find": {"showGrid": true}} {
		res := c.Do(tool, args)
		if size := tooltest.Picture(t, res, "image/png").Bounds().Size(); size != (image.Point{X: 2000, Y: 200}) || !strings.Contains(tooltest.Text(res), "2000×200 pixels at scale 0.5") {
			t.Errorf("%s is %v: %s", tool, size, tooltest.Text(res))
		}
	}
}
