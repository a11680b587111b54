package page_test

import (
	"image/color"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestCompareScreenshots compares pictures of one page before and after changes: with a baseline and with the
// previous picture, of the page, of an area and of an element.
func TestCompareScreenshots(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": `data:text/html,<body style="margin:0"><button id=b aria-label=Save
		style="position:absolute;left:100px;top:200px;width:50px;height:40px;border:0;background:blue"></button>`, "then": "none"})
	ref := tooltest.Ref(t, c.Call("read_page", nil), "Save")
	baseline, previous := tooltest.Args{"compare": "baseline", "name": "page"}, tooltest.Args{"compare": "previous"}
	part := tooltest.Args{"compare": "baseline", "name": "part", "clip": []float64{0, 0, 300, 100}}
	element := tooltest.Args{"compare": "baseline", "name": "element", "ref": ref}
	style := func(script string) { c.Call("javascript_tool", tooltest.Args{"code": script + "; 1"}) }

	c.ExpectRefusal("NOT_FOUND", "page_screenshot", previous, "no previous picture")
	for _, args := range []tooltest.Args{baseline, part, element} {
		c.Expect("page_screenshot", args, "kept as baseline "+args["name"].(string))
		c.Expect("page_screenshot", args, "compared with baseline", "no pixel differs")
	}
	c.Call("page_screenshot", nil)
	style(`b.style.background = "green"`)
	const box = "in x 100 y 200 width 50 height 40"
	res := c.Do("page_screenshot", previous)
	if text := tooltest.Text(res); !strings.Contains(text, "0.22% of the pixels differ (2000), "+box) {
		t.Errorf("the difference is %q", text)
	}
	picture := tooltest.Picture(t, res, "image/png")
	if at := color.RGBAModel.Convert(picture.At(110, 210)); at != (color.RGBA{R: 255, A: 255}) {
		t.Errorf("a pixel that differs is %v", at)
	}
	c.Expect("page_screenshot", previous, "no pixel differs")
	c.Expect("page_screenshot", baseline, "(2000), "+box)
	c.Expect("page_screenshot", part, "no pixel differs") // the button is below it
	c.Expect("page_screenshot", element, "100% of the pixels differ (2000), in x 0 y 0 width 50 height 40")
	style(`b.style.left = "110px"`)
	c.Call("page_screenshot", tooltest.Args{"compare": "keep", "name": "page"})
	c.Expect("page_screenshot", baseline, "no pixel differs")
	style(`b.style.left = "115px"`)
	c.Expect("page_screenshot", baseline, "(400), in x 110 y 200 width 55 height 40")
	style(`b.style.width = "60px"`)
	c.Expect("page_screenshot", element, "differ (2400), in x 0 y 0 width 60 height 40", "was 50×40 and is 60×40")

	c.ExpectRefusal("INVALID_ARGUMENTS", "page_screenshot", tooltest.Args{"name": "page"}, "compare")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_screenshot", tooltest.Args{"compare": "baseline"}, "name")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_screenshot", tooltest.Args{"compare": "keep", "name": "../x"}, "name")
}
