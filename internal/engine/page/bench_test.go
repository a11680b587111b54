package page_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

const smallPage = `<nav aria-label=Main><a href=/a>Alpha</a> <a href=/b>Beta</a></nav><main><h1>Title</h1><p>Some text with
<b>bold</b> words.</p><label>Email <input id=email type=email></label><button id=go type=button>Go</button><ul><li>one<li>two</ul></main>`

// delegatingRoot listens at the root as React does, and leaves its properties on every element.
const delegatingRoot = `<script>for (const type of ['click', 'pointerdown', 'lostpointercapture']) document.body.addEventListener(type, () => {});
for (const e of document.body.querySelectorAll('*')) e.__reactProps$abc = { children: [] }</script>`

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct{ name, body string }{{"small", smallPage}, {"controls2000", pagetest.Controls(2000)}, {"elements20000", pagetest.Elements(20000)},
		{"delegated20000", pagetest.Elements(20000) + delegatingRoot}} {
		b.Run(c.name, func(b *testing.B) {
			tab := pagetest.Show(b, c.body)
			size := len(tab.MustRead(read.Options{MaxBytes: 10 << 20}).Text)
			b.ReportAllocs()
			for b.Loop() {
				tab.MustRead(read.Options{})
			}
			b.ReportMetric(float64(size), "text-bytes")
		})
	}
}

func BenchmarkFind(b *testing.B) {
	tab := pagetest.Show(b, pagetest.Controls(2000))
	b.ReportAllocs()
	for b.Loop() {
		if m, err := tab.Locate.Find(tab.Ctx, "save row 250 button", locate.FindOptions{}); err != nil || m[0].Name != "Save row 250" {
			b.Fatal(m, err)
		}
	}
}

func BenchmarkClick(b *testing.B) {
	tab := pagetest.Show(b, smallPage)
	ref := tab.Ref("#go")
	b.ReportAllocs()
	for b.Loop() {
		randomizePhase(b)
		tab.MustClick(ref)
	}
}

// BenchmarkClickWithPointerMove moves the pointer for every click.
func BenchmarkClickWithPointerMove(b *testing.B) {
	tab := pagetest.Show(b, `<button id=a type=button>A</button><button id=b type=button>B</button>`)
	refs := []string{tab.Ref("#a"), tab.Ref("#b")}
	i := 0
	for b.Loop() {
		i++
		randomizePhase(b)
		tab.MustClick(refs[i%2])
	}
}

func BenchmarkSetValue(b *testing.B) {
	tab := pagetest.Show(b, smallPage)
	ref := tab.Ref("#email")
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		tab.MustSet(ref, fmt.Sprintf("user%d@example.org", i))
	}
}

func BenchmarkPress(b *testing.B) {
	tab := pagetest.Show(b, smallPage)
	tab.MustClick(tab.Ref("#email"))
	for b.Loop() {
		randomizePhase(b)
		if _, err := tab.Keyboard.Press(tab.Ctx, "a"); err != nil {
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
