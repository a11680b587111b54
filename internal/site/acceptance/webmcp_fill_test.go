package acceptance_test

import (
	"os"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestFill holds the script's addresses, selectors and values against the table of package run, in a page.
func TestFill(t *testing.T) {
	t.Parallel()
	cases, err := os.ReadFile("../run/testdata/fill.json")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../webmcpjs/js/fill.js")
	if err != nil {
		t.Fatal(err)
	}
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": "about:blank"})
	c.ExpectScript(`(() => {
		`+string(script)+`
		const cases = `+string(cases)+`, wrong = [];
		const expect = (what, got, want) => { if (JSON.stringify(got) !== JSON.stringify(want)) wrong.push(what + ' gives ' + JSON.stringify(got) + ', want ' + JSON.stringify(want)); };
		for (const { pattern, address, matches } of cases.addresses) expect(pattern + ' of ' + address, matchesAddress(pattern, address), matches);
		for (const { value, escaped } of cases.selectors) expect('the selector ' + value, fill({ css: '{v}' }, { v: value }).css, escaped);
		for (const { text, value, want } of cases.filled) expect(JSON.stringify(text), fill(text, { v: value }), want);
		return cases.addresses.length > 0 && cases.selectors.length > 0 && cases.filled.length > 0 ? wrong.join('\n') || 'all agree' : 'no cases';
	})()`, "all agree")
}
