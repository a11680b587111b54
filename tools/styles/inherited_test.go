package styles_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// setInherited gives a parent a value for every property of which it finds one that a child takes over,
// and returns those properties, and some that no child takes over.
const setInherited = `(() => {
	const outer = document.querySelector('.outer'), inner = document.querySelector('.inner');
	const child = getComputedStyle(inner), parent = getComputedStyle(outer), inherited = [], own = [];
	const values = ['rgb(1, 2, 3)', '7px', 'hidden', 'none', '3', 'url(x.png)', 'thing', 'right', 'auto', 'all', 'block', 'italic', '0.5', '2 1', 'evenodd', 'bold', 'small-caps', 'over',
		'pre', 'break-word', 'vertical-rl', 'rtl', 'square', 'inside', 'collapse', 'nowrap', 'balance', '"x"', 'upright', 'sans-serif', 'dark', 'round', 'under', 'stroke', 'capitalize', 'justify', 'manual'];
	const isLonghand = (n) => { const s = document.createElement('i').style; s.setProperty(n, 'inherit'); return s.length === 1; };
	for (const p of [...child].filter((n) => !n.startsWith('--') && n !== 'inline-size' && n !== 'block-size' && isLonghand(n))) {
		const before = child.getPropertyValue(p);
		for (const v of values) {
			outer.style.setProperty(p, v);
			if (!outer.style.getPropertyValue(p) || parent.getPropertyValue(p) === before) { outer.style.removeProperty(p); continue; }
			(child.getPropertyValue(p) === parent.getPropertyValue(p) ? inherited : own).push(p);
			break;
		}
		outer.style.removeProperty(p);
	}
	for (const p of inherited) for (const v of values) if (!outer.style.getPropertyValue(p)) outer.style.setProperty(p, v);
	return JSON.stringify({ inherited, own });
})()`

// TestInheritedProperties holds the table of inherited properties against the browser.
func TestInheritedProperties(t *testing.T) {
	t.Parallel()
	site := serve(t, map[string]string{"/tree": `<!doctype html><title>Tree</title><p class="outer"><i class="inner">text</i></p>`})
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": site + "/tree"})
	text := c.Call("javascript_tool", tooltest.Args{"code": setInherited})
	var found struct{ Inherited, Own []string }
	text = text[strings.Index(text, "{") : strings.LastIndex(text, "}")+1]
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	if len(found.Inherited) < 60 || len(found.Own) < 60 {
		t.Fatalf("%d inherited and %d other properties; the script finds too few", len(found.Inherited), len(found.Own))
	}
	for names := range slices.Chunk(found.Inherited, 20) {
		answer := c.Call("styles", tooltest.Args{"selector": ".inner", "properties": names})
		for _, name := range names {
			_, own, _ := strings.Cut(answer, "\n"+name+": ")
			own, _, _ = strings.Cut(own, "\n  loses")
			first, _, _ := strings.Cut(own, "\n-")
			if !strings.Contains(first, "inherited from") && !strings.Contains(first, "in the browser's style sheet") {
				t.Errorf("%s is inherited: %.200s", name, own)
			}
		}
	}
	c.Call("javascript_tool", tooltest.Args{"code": "for (const p of " + mustJSON(t, found.Own[:60]) + ") document.querySelector('.outer').style.setProperty(p, 'inherit')"})
	for names := range slices.Chunk(found.Own[:60], 20) {
		if answer := c.Call("styles", tooltest.Args{"selector": ".inner", "properties": names}); strings.Contains(answer, "inherited from") {
			t.Errorf("none of %v is inherited:\n%s", names, answer)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
