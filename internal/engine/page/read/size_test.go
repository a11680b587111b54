package read_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// styleWalk is the walk that any reading needs: what the style of each element and its box say of whether
// a person sees it.
const styleWalk = `(() => { let seen = 0;
const go = (el) => { const cs = getComputedStyle(el);
if (cs.display === 'none' || cs.opacity === '0') return;
if (cs.visibility === 'visible' && cs.overflowX !== 'hidden' && cs.position !== 'fixed' && cs.cursor !== 'none' &&
cs.color !== cs.backgroundColor && parseFloat(cs.fontSize) > 2 && el.getBoundingClientRect().width > 0) seen++;
for (let n = el.firstChild; n; n = n.nextSibling) if (n.nodeType === 1) go(n); else if (n.nodeType === 3) seen += n.nodeValue.length };
go(document.documentElement); return seen })()`

// repeated writes markup n times; # is the number of the copy.
func repeated(n int, markup string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(markup, "#", fmt.Sprint(i)))
	}
	return b.String()
}

const closedHost = `<script>customElements.define('x-h',class extends HTMLElement{constructor(){super();
this.attachShadow({mode:'closed'}).innerHTML='<slot></slot>'}})</script>`

// largePages are bodies of about n elements, of kinds that a step which is not linear is slow on.
var largePages = map[string]func(n int) string{
	"text":             pagetest.Elements,
	"controls":         pagetest.Controls,
	"labels":           func(n int) string { return repeated(n/2, `<label>L# <input type=checkbox></label>`) },
	"labels by id":     func(n int) string { return repeated(n/2, `<label for=i#>L#</label><input id=i#>`) },
	"nameless buttons": func(n int) string { return repeated(n, `<button></button>`) },
	"nameless fields":  func(n int) string { return repeated(n, `<input>`) },
	"one name for all": func(n int) string {
		return `<p id=t>` + repeated(n/100, `<i>a</i>`) + `</p>` + repeated(n*3/4, `<button aria-labelledby=t>B#</button>`)
	},
	"row of headers": func(n int) string { return `<table><tr>` + repeated(n, `<th>H#`) + `</table>` },
	"slotted in one": func(n int) string { return `<x-h>` + repeated(n, `<button>S#</button>`) + `</x-h>` + closedHost },
	"nested and hidden": func(n int) string {
		return strings.Repeat(`<div aria-hidden=true>`, n/80) + repeated(n, `<b aria-hidden=true>T#</b>`)
	},
	"buttons": func(n int) string { return repeated(n, `<button>B#</button>`) },
	"listeners in a row": func(n int) string {
		return repeated(n, `<p>P#</p>`) + `<script>for(const p of document.querySelectorAll('p'))p.onclick=()=>{}</script>`
	},
}

// processorTime is the processor time that the page's thread has used: what else runs on the machine adds nothing.
func processorTime(tab *pagetest.Tab) time.Duration {
	tab.T.Helper()
	if _, err := cdp.Call(tab.Ctx, tab.Session, performance.Enable, performance.EnableParams{}); err != nil {
		tab.T.Fatal(err)
	}
	res, err := cdp.Call(tab.Ctx, tab.Session, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		tab.T.Fatal(err)
	}
	for _, m := range res.Metrics {
		if m.Name == "ThreadTime" {
			return time.Duration(m.Value * float64(time.Second))
		}
	}
	tab.T.Fatal("the browser has no metric ThreadTime")
	return 0
}

// costs returns the processor time of the walk over styles and boxes at its best, and of the first reading of a
// document in the median of all rounds. The walk comes before and after it in the same document.
func costs(tab *pagetest.Tab, body string, rounds int, read func()) (walk, reading time.Duration) {
	tab.T.Helper()
	cost := func(work func()) time.Duration {
		start := processorTime(tab)
		work()
		return processorTime(tab) - start
	}
	var walks, readings []time.Duration
	for range rounds {
		tab.Body(body)
		walks = append(walks, cost(func() { tab.JS(styleWalk) }))
		readings = append(readings, cost(read))
		walks = append(walks, cost(func() { tab.JS(styleWalk) }))
	}
	slices.Sort(readings)
	return slices.Min(walks), readings[len(readings)/2]
}

// The time of a reading is proportional to the page: it is at most so many times the walk over styles and boxes.
func TestReadingsAreLinear(t *testing.T) {
	const elements, limit = 4_000, 8
	tab := pagetest.Show(t, "")
	for name, body := range largePages {
		walk, reading := costs(tab, body(elements), 1, func() { tab.MustRead(read.Options{}) })
		t.Logf("%s: walk %v, reading %v", name, walk, reading)
		if reading > limit*walk {
			t.Errorf("%s: the reading takes %v, %.1f times the walk of %v", name, reading, reading.Seconds()/walk.Seconds(), walk)
		}
	}
}

// BenchmarkReadLargePage reports how many times the walk over styles and boxes a first reading takes.
func BenchmarkReadLargePage(b *testing.B) {
	for name, body := range largePages {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			tab := pagetest.Show(b, "")
			walk, reading := costs(tab, body(100_000), b.N, func() { tab.MustRead(read.Options{}) })
			b.ReportMetric(reading.Seconds()/walk.Seconds(), "walks")
			b.ReportMetric(walk.Seconds()*1000, "walk-ms")
		})
	}
}

// A long text is cut itself, so that the page after it is in the reading, and its element's ref reads all of it.
func TestLongTextIsCut(t *testing.T) {
	long := strings.Repeat("word ", 30_000)
	shared := pagetest.Show(t, "")
	for name, body := range map[string]string{
		"paragraph":    "<p>" + long + "</p>",
		"body":         long,
		"preformatted": "<pre>" + strings.ReplaceAll(long, "word word", "word\nword") + "</pre>",
		"list item":    "<ul><li>" + long + "</li></ul>",
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, "<h1>Before</h1>"+body+"<button>After</button>")
			text := tab.MustRead(read.Options{MaxBytes: 20_000}).Text
			at := regexp.MustCompile(`… \(\+\d+ more in \[(e\d+)\]\)`).FindStringSubmatch(text)
			if at == nil || !strings.Contains(text, `"Before"`) || !strings.Contains(text, `button "After"`) {
				t.Fatalf("the reading has %d bytes and ends with %q", len(text), text[max(0, len(text)-200):])
			}
			r := tab.MustRead(read.Options{Ref: at[1], MaxBytes: 20_000})
			words := strings.Count(r.Text, "word")
			for r.Next != "" {
				r = tab.MustRead(read.Options{Continue: r.Next, MaxBytes: 20_000})
				words += strings.Count(r.Text, "word")
			}
			if words < 29_900 || words > 30_100 {
				t.Errorf("its element has %d words", words)
			}
		})
	}
}
