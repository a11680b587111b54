package tools_test

import (
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg" // pictures are decoded below
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestReadClickAndReadAgain(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.says("navigate", args{"url": home + "/"}, home+"/", `"Fixture home"`, " 200")
	reading := c.says("read_page", nil, `heading "Fixture home"`, `link "second page"`, `button "Click me"`, "disabled")
	if strings.Contains(reading, "invisible words") {
		t.Errorf("hidden text was read:\n%s", reading)
	}
	c.says("interact", args{"ref": refOf(t, reading, `"second page"`)}, "clicked link", "/second.html", `"Second page"`)
	c.says("read_page", args{"mode": "interactive"}, `link "home"`)

	c.says("interact", args{"query": "home link"}, `"Fixture home"`)
	c.says("interact", args{"query": "order form"}, `"Order form"`)
	c.says("navigate", args{"url": "back"}, `"Fixture home"`)
	c.says("navigate", args{"url": "forward"}, `"Order form"`)
	c.says("page_reload", args{"ignoreCache": true}, `"Order form"`)
}

func TestFillAndSubmitAForm(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/form.html"})
	reading := c.call("read_page", args{"mode": "interactive"})
	for field, value := range map[string]string{`"Name"`: "Ada <Lovelace>", `"Password"`: "hunter2", `"Size"`: "Large", `"Gift"`: "true", `"Note"`: "two\nlines"} {
		c.says("form_input", args{"ref": refOf(t, reading, field), "value": value}, "set ")
	}
	if again := c.call("read_page", nil); strings.Contains(again, "hunter2") {
		t.Errorf("the password is shown:\n%s", again)
	}
	c.refused("INVALID_ARGUMENTS", "form_input", args{"ref": refOf(t, reading, `"Size"`), "value": "Huge"}, "Small", "Large")
	c.says("interact", args{"query": "Send order button"}, `"Submitted"`)
	c.says("read_page", nil, "Thanks", "gift=on", "name=Ada+%3CLovelace%3E", "note=two%0D%0Alines", "password=hunter2", "size=l")
}

func TestScreenshotIsAPictureOfThePage(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/colour.html"})
	at := func(img image.Image, x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	red, blue := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}

	img := picture(t, c.raw("page_screenshot", nil), "image/png")
	if s := img.Bounds().Size(); s != (image.Point{X: 1280, Y: 720}) || at(img, 10, 10) != blue || at(img, 600, 10) != red {
		t.Errorf("the viewport is %v with %v and %v", s, at(img, 10, 10), at(img, 600, 10))
	}
	img = picture(t, c.raw("page_screenshot", args{"fullPage": true, "max_side": 4000}), "image/png")
	if s := img.Bounds().Size(); s.Y != 2000 || at(img, 10, 1990) != blue {
		t.Errorf("the full page is %v", s)
	}
	img = picture(t, c.raw("page_screenshot", args{"clip": []float64{40, 0, 20, 10}}), "image/png")
	if s := img.Bounds().Size(); s != (image.Point{X: 20, Y: 10}) || at(img, 5, 5) != blue || at(img, 15, 5) != red {
		t.Errorf("the clip is %v", s)
	}
	picture(t, c.raw("page_screenshot", args{"format": "jpeg", "quality": 0}), "image/jpeg")
	picture(t, c.raw("computer", args{"action": "screenshot"}), "image/png")

	c.says("page_screenshot", args{"path": "shots/a.png"}, "a.png", "1280×720")
	data, err := os.ReadFile(filepath.Join(c.Output, "shots", "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Errorf("the file is no PNG: %v", err)
	}
	c.refused("POLICY_DENIED", "page_screenshot", args{"path": "../a.png"}, `"surface":"file"`)
}

// picture decodes the image of a result.
func picture(t *testing.T, res *mcp.CallToolResult, mime string) image.Image {
	t.Helper()
	for _, content := range res.Content {
		if i, ok := content.(*mcp.ImageContent); ok && i.MIMEType == mime {
			img, _, err := image.Decode(bytes.NewReader(i.Data))
			if err != nil {
				t.Fatal(err)
			}
			return img
		}
	}
	t.Fatalf("no %s in %s", mime, textOf(res))
	return nil
}

func TestCookiesAndStorageRoundTrip(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/cookies"})
	c.says("cookies", args{"action": "get"}, "served=yes")
	c.call("cookies", args{"action": "set", "name": "flavour", "value": "", "attributes": "HttpOnly; Expires=1800000000"})
	c.says("cookies", args{"action": "get", "name": "flavour"}, "flavour=;", "HttpOnly", "Expires=2027-01-15")
	c.call("page_reload", nil)
	c.says("read_page", nil, "served=yes", "flavour=")
	c.call("cookies", args{"action": "delete", "name": "served"})
	c.says("cookies", args{"action": "clear"}, "cleared 1")
	c.says("cookies", args{"action": "get"}, "no cookie")
	c.refused("INVALID_ARGUMENTS", "cookies", args{"action": "set", "name": "x"}, `\"value\" is required for set`)

	for _, kind := range []string{"local", "session"} {
		c.call("storage", args{"storageType": kind, "action": "set", "key": "a", "value": "1"})
		c.call("storage", args{"storageType": kind, "action": "set", "key": "", "value": ""})
		c.says("storage", args{"storageType": kind, "action": "keys"}, "2 keys", "a")
		if got := c.call("storage", args{"storageType": kind, "action": "get", "key": "a"}); got != "1" {
			t.Errorf("%s storage gives %q", kind, got)
		}
		c.says("javascript_tool", args{"code": kind + "Storage.getItem('a')"}, "1")
		c.call("storage", args{"storageType": kind, "action": "remove", "key": "a"})
		c.refused("NOT_FOUND", "storage", args{"storageType": kind, "action": "get", "key": "a"})
		c.says("storage", args{"storageType": kind, "action": "clear"}, "cleared")
		c.says("storage", args{"storageType": kind, "action": "get"}, "empty")
	}
	c.call("navigate", args{"url": "about:blank"})
	c.refused("FAILED", "storage", args{"storageType": "local", "action": "keys"}, "opaque")
}

func TestTabsAreTheSessionsOwn(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.says("tabs_context", nil, `"tabCount":0`)
	c.refused("NO_TAB", "read_page", nil, "navigate")
	first, _, _ := strings.Cut(c.call("navigate", args{"url": home + "/"}), " ")
	second, _, _ := strings.Cut(c.call("tabs_create", args{"url": home + "/second.html"}), " ")
	if first == second {
		t.Fatalf("both tabs are %s", first)
	}
	c.says("tabs_context", nil, `"tabCount":2`, `"current":"`+second+`"`, "Fixture home", "Second page")
	c.says("tabs_context", args{"summary": true}, `{"tabCount":2}`)
	c.says("read_page", args{"tabId": first}, "Fixture home")
	c.says("read_page", nil, "You made it")
	c.says("tabs_close", args{"tabIds": []string{second, "t0"}}, "closed "+second, "not closed", "t0")
	c.refused("NO_TAB", "read_page", args{"tabId": second}, "closed", first)
	c.refused("INVALID_ARGUMENTS", "tabs_close", nil, `tabId`)
	if third, _, _ := strings.Cut(c.call("tabs_create", args{"url": home + "/"}), " "); third == second {
		t.Errorf("the id %s was used again", third)
	}

	c.call("navigate", args{"url": home + "/late.html"})
	c.says("interact", args{"query": "Pop up"}, "opened tab t")
}
