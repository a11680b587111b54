package tools_test

import (
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// pictured are the ways in which a page shows the password v: markup of a row, and the script that fills it.
var pictured = []struct{ name, markup, script string }{
	{"text", "<p></p>", "e.textContent = v"}, {"address", "<p></p>", "e.textContent = encodeURIComponent(v)"}, {"base64", "<p></p>", "e.textContent = btoa(v)"},
	{"backwards", "<p></p>", "e.textContent = [...v].reverse().join('')"}, {"capitals", "<p></p>", "e.textContent = v.toUpperCase()"},
	{"markup", "<p></p>", "e.textContent = v.replace('&', '&amp;')"}, {"apart", "<p></p>", "e.textContent = [...v].join(' ')"},
	{"letters", "<p></p>", "for (const c of v) e.append(Object.assign(document.createElement('b'), {textContent: c}))"},
	{"two nodes", "<p></p>", "e.append(v.slice(0, 8), v.slice(8))"}, {"two elements", "<p></p>", "e.innerHTML = '<b>' + v.slice(0, 5) + '</b><i>' + v.slice(5).replace('&', '&amp;') + '</i>'"},
	{"drawing", "<svg><text y=20></text></svg>", "e.firstChild.textContent = v"}, {"placeholder", "<input>", "e.placeholder = v"},
	{"list", "<select><option></select>", "e.firstChild.textContent = v"}, {"group", "<select><optgroup><option>x</select>", "e.firstChild.label = v"},
	{"missing picture", "<img src='data:image/png,x'>", "e.alt = v"}, {"attribute", "<p class=said></p>", "e.dataset.v = v"},
	{"style", "<p id=styled></p>", "document.head.append(Object.assign(document.createElement('style'), {textContent: '#styled::after { content: ' + JSON.stringify(v) + ' }'}))"},
	{"outline", "<p style='-webkit-text-stroke: 1px black'></p>", "e.textContent = v"},
	{"gradient", "<p style='background: linear-gradient(black, black) text; color: transparent'></p>", "e.textContent = v"},
	{"important", "<p style='color: black !important; -webkit-text-fill-color: black !important'></p>", "e.textContent = v"},
	{"area", "<textarea></textarea>", "e.value = v"}, {"button", "<input type=button>", "e.value = v"},
}

// picturedForm is a login page with a row of 40 pixels for each of them, and a last row that shows another text.
func picturedForm() string {
	var rows, scripts strings.Builder
	for i, p := range pictured {
		fmt.Fprintf(&rows, "<div style='top: %dpx'>%s</div>", 40*i, p.markup)
		fmt.Fprintf(&scripts, "((e) => { %s })(document.querySelectorAll('body > div')[%d].firstChild);\n", p.script, i)
	}
	return fmt.Sprintf(`<style>body { margin: 0 } body > div, label { position: absolute; left: 0; height: 30px; overflow: hidden }
		div > * { all: revert; margin: 0; padding: 0; border: 0; outline: 0; height: 30px; width: 500px; font: 16px monospace; appearance: none; background-color: white; resize: none }
		.said::before { content: attr(data-v) } label { position: absolute; top: 3000px }</style>%s<div style="top: %dpx"><p>Other words</p></div>
		%s<script>pw.addEventListener('input', () => { const v = pw.value; %s document.title = 'shown' })</script>`,
		rows.String(), 40*len(pictured), "<label>Password <input id=pw></label>", scripts.String())
}

// darkPixels counts the dark pixels of a row of a picture of picturedForm.
func darkPixels(img image.Image, row int) (n int) {
	for y := 40 * row; y < 40*row+30; y++ {
		for x := range 500 {
			if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0x8000 {
				n++
			}
		}
	}
	return n
}

// TestPicturesShowNoFormOfASecret types a password into a page that shows it in texts, attributes and styles, in several
// forms and in parts.
func TestPicturesShowNoFormOfASecret(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>"+picturedForm())
	}))
	t.Cleanup(site.Close)
	c := tooltest.ConnectWithSecret(t, t.TempDir())
	c.Call("navigate", tooltest.Args{"url": site.URL})
	picture := func() image.Image {
		return tooltest.Picture(t, c.Do("page_screenshot", tooltest.Args{"clip": []float64{0, 0, 500, float64(40*len(pictured) + 40)}}), "image/png")
	}
	before := picture()
	c.Call("form_input", tooltest.Args{"query": "Password", "value": "{secret:PASSWORD}"})
	tooltest.Eventually(t, "the page shows it", func() bool { return strings.Contains(c.Call("tabs_context", nil), "shown") })
	after := picture()
	for row, p := range pictured {
		if was, is := darkPixels(before, row), darkPixels(after, row); is > was+20 {
			t.Errorf("%s: %d pixels are dark, and %d were before", p.name, is, was)
		}
	}
	if darkPixels(after, len(pictured)) == 0 {
		t.Error("another text is hidden too")
	}
	for _, mode := range []string{"compact", "full", "dom", "markdown"} {
		text := c.Call("read_page", tooltest.Args{"mode": mode})
		for i := range len(tooltest.Password) - 6 {
			if strings.Contains(text, tooltest.Password[i:i+6]) {
				t.Errorf("reading %s has %q: %s", mode, tooltest.Password[i:i+6], text)
			}
		}
	}
}
