package page_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestFindTakesPatterns(t *testing.T) {
	c, _ := openReading(t)
	c.Expect("find", tooltest.Args{"query": "/^Ord(er)?$/"}, `button "Order"`)
	c.Expect("find", tooltest.Args{"query": "/^ord(er)?$/i"}, `button "Order"`)
	c.ExpectRefusal("NOT_FOUND", "find", tooltest.Args{"query": "/^ord(er)?$/", "waitForMs": 0})
	c.Expect("find", tooltest.Args{"query": "order button"}, `button "Order"`, `in `)
	c.ExpectRefusal("INVALID_ARGUMENTS", "find", tooltest.Args{"query": "/(/", "waitForMs": 0})
	c.ExpectRefusal("NOT_FOUND", "find", tooltest.Args{"query": "/zebra/", "waitForMs": 0})
	c.ExpectRefusal("INVALID_ARGUMENTS", "find", tooltest.Args{"query": "x", "limit": 51}, "/limit")
}

func TestFindAndQueryDOM(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/form.html"})
	c.Expect("find", tooltest.Args{"query": "send button"}, `button "Send order" [e`)
	c.ExpectRefusal("NOT_FOUND", "find", tooltest.Args{"query": "unicorn", "waitForMs": 0})
	found := c.Expect("query_dom", tooltest.Args{"method": "css", "selector": "input", "multiple": true}, "3 of 3", `name="password"`)
	c.Expect("form_input", tooltest.Args{"ref": tooltest.Ref(t, found, `name="name"`), "value": "Ada"}, "set")
	c.Expect("query_dom", tooltest.Args{"method": "xpath", "xpath": "//button"}, "Send order")
	c.Expect("query_dom", tooltest.Args{"method": "css", "selector": ".none"}, "0 of 0")
	c.ExpectRefusal("INVALID_ARGUMENTS", "query_dom", tooltest.Args{"method": "css", "selector": "a["})
	c.ExpectRefusal("INVALID_ARGUMENTS", "query_dom", tooltest.Args{"method": "xpath", "selector": "a"}, `\"xpath\" is required when method is xpath`)
}

// A match has its place, its value and its state, and its neighbours on request.
func TestFindShowsWhatIsAround(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": `data:text/html,<section aria-label=Cart><h2>Desk</h2><label>Amount <input value=3></label> <b>pieces</b></section>` +
		`<fieldset><legend>Options</legend><button>Gift</button><input type=checkbox aria-label=Wrap checked disabled><a href=/x>More</a></fieldset>` +
		`<table><tr><td>Lamp</td><td><button>Remove</button></td></tr><tr><td>Chair</td><td><button>Keep</button></td></tr></table>`})
	for _, row := range []struct {
		query string
		has   []string
	}{
		{"Amount", []string{`= "3" in region "Cart"`, `after heading "Desk"`, `before `, `"pieces"`}},
		{"Wrap", []string{`checked`, `disabled`, `in group "Options"`, `after button "Gift"`, `before link "More"`}},
		{"Remove", []string{`in `, `"Lamp"`, `before `, `"Chair"`}},
		{"text=Keep", []string{`button "Keep"`, `after `, `"Chair"`}},
	} {
		c.Expect("find", tooltest.Args{"query": row.query, "around": true, "waitForMs": 0}, row.has...)
	}
	if said := c.Call("find", tooltest.Args{"query": "Wrap"}); strings.Contains(said, "Gift") {
		t.Errorf("the neighbours come unasked: %s", said)
	}
}

func TestVisionFind(t *testing.T) {
	c, _ := openReading(t)
	before := c.Call("javascript_tool", tooltest.Args{"code": "document.documentElement.outerHTML"})
	res := c.Do("vision_find", tooltest.Args{"showGrid": true})
	var picture []byte
	for _, item := range res.Content {
		if image, ok := item.(*mcp.ImageContent); ok {
			picture = image.Data
		}
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Fatalf("no picture: %v", err)
	}
	if text := tooltest.Text(res); !strings.Contains(text, `link "Home" [e`) {
		t.Errorf("the names are %q", text)
	}
	if after := c.Call("javascript_tool", tooltest.Args{"code": "document.documentElement.outerHTML"}); after != before {
		t.Error("the page is another one afterwards")
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "vision_find", tooltest.Args{"showGrid": "no"}, "/showGrid")
}

func TestFindSaysHowManyThereAre(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<title>Many</title><script>for (let i = 0; i < 3000; i++) document.write('<button>Row ' + i + '</button>')</script>"})
	c.Expect("find", tooltest.Args{"query": "Row button"}, "[10 of 3000]")
}
