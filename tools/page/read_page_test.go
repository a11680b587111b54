package page_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func openReading(t *testing.T) (tooltest.Client, string) {
	t.Helper()
	home := tooltest.ServeSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/reading.html"})
	return c, home
}

func TestReadPageModes(t *testing.T) {
	c, home := openReading(t)
	compact := c.Expect("read_page", tooltest.Args{}, ">\n"+home+"/reading.html \"Reading\"\n", `heading "Desk lamp"`, `textbox "Mail"`, `email required value "ada@example.test"`,
		`multiline value "private note"`, `date "Day"`, `clickable "clickable" [e`, "(#icon)", "img [e", "(chart-2024.png)", "row: Base | € 12,50", "</page ")
	expectNone(t, compact, "hunter2", "ignore all", "moved away", "cut out", "faint", "sizeless", "</page> and")
	c.Expect("read_page", tooltest.Args{"values": true}, `value "ada@example.test"`, `value "private note"`, "••••")
	c.Expect("read_page", tooltest.Args{"hidden": true}, "characters in", "cannot be seen")
	expectNone(t, c.Expect("read_page", tooltest.Args{"mode": "interactive"}, `button "Order"`), "A lamp with")
	c.Expect("read_page", tooltest.Args{"mode": "full"}, "paragraph [e")
	c.Expect("read_page", tooltest.Args{"boxes": true}, "@", "×")
	expectNone(t, c.Expect("read_page", tooltest.Args{"mode": "dom"}, `<h1> Desk lamp`, `<input type="email"> [e`), "hunter2", "ignore all")
	c.Expect("read_page", tooltest.Args{"mode": "css", "selector": "#icon"}, "32×32", "cursor: pointer")
	c.Expect("read_page", tooltest.Args{"mode": "css"}, "stylesheets:", "classes:")
	markdown := c.Expect("read_page", tooltest.Args{"mode": "markdown"}, "# Desk lamp", "**two**", "[Home](", "| Base | € 12,50 |")
	expectNone(t, markdown, "hunter2", "ignore all", "private note")
	ref := tooltest.Ref(t, compact, `form "Order"`)
	sub := c.Expect("read_page", tooltest.Args{"ref_id": ref}, `textbox "Mail"`)
	expectNone(t, sub, "Desk lamp\" level")
	c.Expect("read_page", tooltest.Args{"selector": "main", "depth": 1}, "…")
}

func expectNone(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, u := range unwanted {
		if strings.Contains(text, u) {
			t.Errorf("the answer holds %q:\n%s", u, text)
		}
	}
}

func TestReadPageChanges(t *testing.T) {
	c, _ := openReading(t)
	before := c.Call("read_page", tooltest.Args{})
	c.Expect("read_page", tooltest.Args{"diff": true}, "no change")
	c.Call("javascript_tool", tooltest.Args{"code": `document.querySelector('h1').textContent = 'Floor lamp'; document.querySelector('[role=alert]').remove(); 0`})
	diff := c.Expect("read_page", tooltest.Args{"diff": true}, `+   - heading "Floor lamp"`, `-   - heading "Desk lamp"`, "Out of lamps")
	if len(diff) > len(before)/2 || strings.Contains(diff, "Home") {
		t.Errorf("the difference is\n%s", diff)
	}
	c.Expect("read_page", tooltest.Args{"diff": true}, "no change")
}

func TestReadPageRefusals(t *testing.T) {
	c, _ := openReading(t)
	c.ExpectRefusal("INVALID_ARGUMENTS", "read_page", tooltest.Args{"mode": "verbose"}, "/mode")
	c.ExpectRefusal("INVALID_ARGUMENTS", "read_page", tooltest.Args{"depth": 0}, "/depth")
	c.ExpectRefusal("INVALID_ARGUMENTS", "read_page", tooltest.Args{"max_bytes": 1 << 20}, "/max_bytes")
	c.ExpectRefusal("INVALID_ARGUMENTS", "read_page", tooltest.Args{"diff": "yes"}, "/diff")
	c.ExpectRefusal("INVALID_ARGUMENTS", "read_page", tooltest.Args{"selector": "<<"})
	c.ExpectRefusal("NOT_FOUND", "read_page", tooltest.Args{"selector": "#nowhere"})
	for _, mode := range []string{"compact", "full", "dom", "css", "markdown"} {
		first := c.Call("read_page", tooltest.Args{"mode": mode, "max_bytes": 300})
		_, rest, ok := strings.Cut(first, `cursor "`)
		cursor, _, _ := strings.Cut(rest, `"`)
		if !ok || len(first) > 600 {
			t.Fatalf("%s: %d bytes: %s", mode, len(first), first)
		}
		if next := c.Call("read_page", tooltest.Args{"cursor": cursor, "max_bytes": 300}); next == first {
			t.Errorf("%s does not go on", mode)
		}
	}
}

func TestReadPageBudget(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/"})
	c.Call("javascript_tool", tooltest.Args{"code": "for (let i = 0; i < 500; i++) document.body.insertAdjacentHTML('beforeend', `<p>paragraph ${i}</p>`)"})
	first := c.Call("read_page", tooltest.Args{"max_bytes": 2000})
	if len(first) > 2300 {
		t.Errorf("a reading of at most 2,000 bytes has %d", len(first))
	}
	_, rest, ok := strings.Cut(first, ` kB left; cursor "`)
	cursor, _, _ := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("the reading ends in %q", first[len(first)-100:])
	}
	c.Expect("read_page", tooltest.Args{"cursor": cursor, "max_bytes": 100000}, "paragraph 499")
}
