package read_test

import "testing"

// The numbers and markers that a style draws are text that a person sees.
func TestCountersAndMarkersAreRead(t *testing.T) {
	t.Parallel()
	checkRows(t, "", []row{
		{"sections", `<style>body{counter-reset:c}h2{counter-increment:c;counter-reset:p}p{counter-increment:p}p::before{content:"§" counter(c,upper-roman) "." counter(p) " "}</style><h2>A</h2><p>a</p><p>b</p><h2>B</h2><p>c</p>`,
			[]string{"§I.1 a", "§I.2 b", "§II.1 c"}, nil},
		{"lists in lists", `<style>ol{counter-reset:s;list-style:none}li{counter-increment:s}li::before{content:counters(s,".") " "}</style><ol><li>A<ol><li>B<li>C</ol><li>D</ol>`,
			[]string{"1 A", "1.1 B", "1.2 C", "2 D"}, nil},
		{"steps and sets", `<style>p{counter-increment:k 5}.s{counter-set:k 40}p::after{content:" (" counter(k,decimal-leading-zero) ")"}i{display:none;counter-increment:k}</style><p>a</p><i></i><p class=s>b</p><p>c</p>`,
			[]string{"a (05)", "b (40)", "c (45)"}, nil},
		{"a count alone", `<style>.t{counter-reset:n 7}.t::before{content:counter(n)}</style><div>Unread: <span class=t></span></div>`, []string{"Unread: 7"}, nil},
		{"markers", `<style>.m::marker{content:"Step " counter(list-item) ": "}.n::marker{content:"Note – "}.x::marker{content:""}</style><ol start=3><li class=m>Wash<li class=m>Dry</ol><ul><li class=n>Star</ul><ol><li class=x>Bare</ol>`,
			[]string{"Step 3: Wash", "Step 4: Dry", "Note – Star", "Bare"}, []string{"1. Bare"}},
	})
}

// What a picture, a path or a drawing hides is left out, and what it shows stays.
func TestTextBehindPicturesAndOutsideOfDrawings(t *testing.T) {
	t.Parallel()
	const box = `<div style="position:relative;width:200px;height:100px"><p>Hidden words</p>`
	const over = ` style="position:absolute;inset:0;width:200px;height:100px"`
	image := func(fill string) string {
		return box + `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'><rect width='200' height='100' fill='` + fill + `'/></svg>"` + over + `></div>`
	}
	canvas := func(width string) string {
		return box + `<canvas id=k width=200 height=100` + over + `></canvas></div><script>const x=k.getContext('2d');x.fillRect(0,0,` + width + `,100)</script>`
	}
	svg := func(inside string) string {
		return `<svg width=200 height=100><text x=10 y=20>Seen</text>` + inside + `</svg>`
	}
	seen, hidden := []string{"Hidden words"}, []string{"Hidden"}
	const text = `<text x=50 y=50>Hidden words</text>`
	checkRows(t, "", []row{
		{"an opaque image", image("red"), nil, hidden}, {"an image with holes", image("none"), seen, nil},
		{"a canvas", canvas("200"), nil, hidden}, {"half a canvas", canvas("100"), seen, nil},
		{"a gradient", box + `<div style="position:absolute;inset:0;background:linear-gradient(red,blue)"></div></div>`, nil, hidden},
		{"half a gradient", box + `<div style="position:absolute;inset:0;background:linear-gradient(red,transparent)"></div></div>`, seen, nil},
		{"a path out of view", `<p style="offset-path:path('M -5000 0 L -5000 10')">Hidden words</p>`, nil, hidden},
		{"a path in view", `<p style="width:100px;offset-path:path('M 100 100 L 200 100')">Hidden words</p>`, seen, nil},
		{"below a drawing", svg(`<text x=10 y=900>Hidden words</text>`), []string{"Seen"}, hidden},
		{"beside a drawing", svg(`<g transform="translate(-900)">` + text + `</g>`), []string{"Seen"}, hidden},
		{"a drawing that overflows", `<svg width=200 height=50 style="overflow:visible"><text x=10 y=90>Hidden words</text></svg>`, seen, nil},
		{"outside of a clip path", svg(`<clipPath id=c><rect width=10 height=10 /></clipPath><g clip-path="url(#c)">` + text + `</g>`), []string{"Seen"}, hidden},
		{"inside of a clip path", svg(`<clipPath id=c><circle cx=60 cy=50 r=20 /></clipPath><g clip-path="url(#c)">` + text + `</g>`), seen, nil},
		{"under a shape", svg(text + `<rect y=30 width=200 height=70 fill=red />`), []string{"Seen"}, hidden},
		{"over a shape", svg(`<rect y=30 width=200 height=70 fill=red />` + text), seen, nil},
		{"outside of an inner drawing", svg(`<svg width=20 height=20>` + text + `</svg>`), []string{"Seen"}, hidden},
	})
}
