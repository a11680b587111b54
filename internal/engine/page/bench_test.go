package page_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page"
)

const smallPage = `<nav aria-label=Main><a href=/a>Alpha</a> <a href=/b>Beta</a></nav><main><h1>Title</h1><p>Some text with
<b>bold</b> words.</p><label>Email <input id=email type=email></label><button id=go type=button>Go</button><ul><li>one<li>two</ul></main>`

// controls returns a page of n controls.
func controls(n int) string {
	var b strings.Builder
	for i := range n / 4 {
		fmt.Fprintf(&b, `<div class=row><button>Save row %d</button><a href="/item/%d">Item %d</a><label>Field %d <input name=f%d></label><input type=checkbox aria-label="Pick %d"></div>`, i, i, i, i, i, i)
	}
	return b.String()
}

// elements returns a page of n elements, most of them text and wrappers.
func elements(n int) string {
	var b strings.Builder
	for i := range n / 10 {
		fmt.Fprintf(&b, `<div><div class=card><h3>Heading %d</h3><p>Words <b>and</b> more <i>words</i> %d</p><ul><li>one</li><li>two <a href="/x/%d">link</a></li></ul></div></div>`, i, i, i)
	}
	return b.String()
}

// delegatingRoot listens at the root as React does, and leaves its properties on every element.
const delegatingRoot = `<script>for (const type of ['click', 'pointerdown', 'lostpointercapture']) document.body.addEventListener(type, () => {});
for (const e of document.body.querySelectorAll('*')) e.__reactProps$abc = { children: [] }</script>`

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct{ name, body string }{{"small", smallPage}, {"controls2000", controls(2000)}, {"elements20000", elements(20000)},
		{"delegated20000", elements(20000) + delegatingRoot}} {
		b.Run(c.name, func(b *testing.B) {
			tab := show(b, c.body)
			size := len(tab.read(page.ReadOptions{MaxBytes: 10 << 20}).Text)
			b.ReportAllocs()
			for b.Loop() {
				tab.read(page.ReadOptions{})
			}
			b.ReportMetric(float64(size), "text-bytes")
		})
	}
}

func BenchmarkFind(b *testing.B) {
	tab := show(b, controls(2000))
	b.ReportAllocs()
	for b.Loop() {
		if m, err := tab.Find(tab.ctx, "save row 250 button", page.FindOptions{}); err != nil || m[0].Name != "Save row 250" {
			b.Fatal(m, err)
		}
	}
}

func BenchmarkClick(b *testing.B) {
	tab := show(b, smallPage)
	ref := tab.ref("#go")
	b.ReportAllocs()
	for b.Loop() {
		randomizePhase(b)
		tab.click(ref)
	}
}

// BenchmarkClickWithPointerMove moves the pointer for every click.
func BenchmarkClickWithPointerMove(b *testing.B) {
	tab := show(b, `<button id=a type=button>A</button><button id=b type=button>B</button>`)
	refs := []string{tab.ref("#a"), tab.ref("#b")}
	i := 0
	for b.Loop() {
		i++
		randomizePhase(b)
		tab.click(refs[i%2])
	}
}

func BenchmarkSetValue(b *testing.B) {
	tab := show(b, smallPage)
	ref := tab.ref("#email")
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		tab.set(ref, fmt.Sprintf("user%d@example.org", i))
	}
}

func BenchmarkPress(b *testing.B) {
	tab := show(b, smallPage)
	tab.click(tab.ref("#email"))
	for b.Loop() {
		randomizePhase(b)
		if _, err := tab.Press(tab.ctx, "a"); err != nil {
			b.Fatal(err)
		}
	}
}

// randomizePhase lets a random part of a frame pass off the clock. An action ends with a frame, so
// consecutive calls would all be measured as whole frames, unlike calls from outside.
func randomizePhase(b *testing.B) {
	b.StopTimer()
	time.Sleep(time.Duration(rand.Int64N(int64(time.Second / 60))))
	b.StartTimer()
}
