package read_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// Text that no person sees is left out in every mode, and counted.
func TestConcealedTextIsLeftOut(t *testing.T) {
	shared := pagetest.Show(t, "")
	for name, body := range map[string]string{
		"scaled to nothing":      `<p style="transform:scale(0)">Secret</p>`,
		"scaled flat":            `<div style="transform:scaleX(0)"><p>Secret</p></div>`,
		"scale property":         `<p style="scale:0">Secret</p>`,
		"translated":             `<p style="transform:translateX(-5000px)">Secret</p>`,
		"translate property":     `<p style="translate:0 -5000px">Secret</p>`,
		"by a rule":              `<style>@media all{.x{transform:translate3d(-300vw,0,0)}}</style><div class=x><span>Secret</span></div>`,
		"by a nested rule":       `<style>.o{& .x{margin-left:-9999px}}</style><div class=o><p class=x>Secret</p></div>`,
		"margin":                 `<p style="margin-left:-9999px">Secret</p>`,
		"margin above":           `<p style="margin-top:-600em">Secret</p><div style="height:9700px"></div>`,
		"moved relatively":       `<p style="position:relative;left:-200em">Secret</p>`,
		"filter":                 `<p style="filter:opacity(0)">Secret</p>`,
		"filters":                `<div style="filter:blur(1px) opacity(2%)"><b>Secret</b></div>`,
		"mask":                   `<p style="mask-image:linear-gradient(transparent,transparent)">Secret</p>`,
		"mask of no opacity":     `<p style="-webkit-mask:linear-gradient(#0000,rgb(0 0 0 / 0))">Secret</p>`,
		"fill":                   `<p style="-webkit-text-fill-color:transparent">Secret</p>`,
		"fill of an ancestor":    `<style>.f{-webkit-text-fill-color:rgba(0,0,0,0)}</style><div class=f><p>Secret</p></div>`,
		"fill of the background": `<p style="-webkit-text-fill-color:#fff">Secret</p>`,
		"fixed below":            `<p style="position:fixed;top:200vh">Secret</p>`,
		"fixed beside":           `<p style="position:fixed;left:150vw">Secret</p>`,
		"skipped":                `<div style="content-visibility:hidden"><p>Secret</p></div>`,
		"until found":            `<div hidden=until-found><p>Secret</p></div>`,
		"near white":             `<p style="color:#fefefe">Secret</p>`,
		"near black":             `<div style="background:#000"><p style="color:#060606">Secret</p></div>`,
		"faint on a colour":      `<div style="background:#36c"><p style="color:rgba(52,103,205,.9)">Secret</p></div>`,
		"heading":                `<h2 style="transform:translateX(-5000px)">Secret</h2>`,
		"heading near white":     `<h2 style="color:#fdfdfd">Secret</h2>`,
		"below a layer":          `<div style="position:relative"><p>Secret</p><div style="position:absolute;inset:0;background:#fff"></div></div>`,
		"text below a layer":     `<div style="position:relative">Secret<div style="position:absolute;inset:0;background:#fff;pointer-events:none"></div></div>`,
		"behind a wall":          `<section><div><p>Secret</p></div></section><div style="position:fixed;inset:0;background:#eee"><p>Shown</p></div>`,
		"layer before the text":  `<div style="position:relative"><div style="position:absolute;inset:0;background:#fff"></div><p>Secret</p></div>`,
		"layer over positioned":  `<div style="position:relative"><p style="position:relative;z-index:1">Secret</p><div style="position:absolute;inset:0;background:#fff;z-index:2"></div></div>`,
		"in a shadow tree":       `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<style>p{transform:scale(0)}</style><p>Secret</p>'</script>`,
		"in a frame":             `<iframe srcdoc="<style>p{filter:opacity(0)}</style><p>Secret</p>"></iframe>`,
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, body+`<p style="position:relative">Shown</p>`)
			for _, mode := range []read.Mode{read.ModeCompact, read.ModeMarkdown, read.ModeDOM} {
				r := tab.MustRead(read.Options{Mode: mode, Hidden: true})
				if strings.Contains(r.Text, "Secret") || !strings.Contains(r.Text, "Shown") {
					t.Errorf("mode %d reads\n%s", mode, r.Text)
				}
				if r.Hidden == nil || r.Hidden.Places != 1 || r.Hidden.Characters != 6 {
					t.Errorf("mode %d counts %+v", mode, r.Hidden)
				}
			}
		})
	}
}

// What is scrolled out, animated or drawn in a weak colour is read.
func TestWhatCanBeSeenIsRead(t *testing.T) {
	tab := pagetest.Show(t, "")
	for name, body := range map[string]string{
		"below":              `<div style="height:9000px"></div><p>Shown</p>`,
		"scrolled":           `<div style="height:100px;overflow:auto" id=s><p>Shown</p><div style="height:3000px"></div></div><script>s.scrollTop=2000</script>`,
		"page scrolled":      `<p>Shown</p><div style="height:9000px"></div><script>scrollTo(0,5000)</script>`,
		"to the right":       `<p style="margin-left:3000px">Shown</p>`,
		"track of slides":    `<div style="overflow:hidden;width:300px"><div style="display:flex;width:300px;transform:translateX(-200%)"><div style="flex:0 0 300px">A</div><div style="flex:0 0 300px">B</div><div style="flex:0 0 300px">Shown</div></div></div>`,
		"negative margin":    `<div style="padding-left:400px"><p style="margin-left:-300px">Shown</p></div>`,
		"gradient text":      `<p style="background:linear-gradient(red,blue);-webkit-background-clip:text;background-clip:text;-webkit-text-fill-color:transparent">Shown</p>`,
		"fading mask":        `<p style="mask-image:linear-gradient(black,transparent)">Shown</p>`,
		"weak":               `<p style="color:#ccc">Shown</p>`,
		"half transparent":   `<p style="color:rgba(0,0,0,.4)">Shown</p>`,
		"rotated":            `<p style="transform:rotate(90deg);width:99px">Shown</p>`,
		"fixed in view":      `<p style="position:fixed;top:20vh">Shown</p>`,
		"white on picture":   `<div style="background:linear-gradient(red,blue)"><p style="color:#fefefe">Shown</p></div>`,
		"filled back":        `<div style="-webkit-text-fill-color:transparent"><p style="-webkit-text-fill-color:#111">Shown</p></div>`,
		"on a layer behind":  `<div style="position:relative;z-index:0"><div style="position:absolute;inset:0;background:#fff;z-index:-1"></div><p>Shown</p></div>`,
		"above a layer":      `<div style="position:relative"><div style="position:absolute;inset:0;background:#fff"></div><p style="position:relative">Shown</p></div>`,
		"below a glass":      `<div style="position:relative"><p>Shown</p><div style="position:absolute;inset:0;background:rgba(255,255,255,.6)"></div></div>`,
		"below a faded one":  `<div style="position:relative"><p>Shown</p><div style="position:absolute;inset:0;background:#fff;opacity:.5"></div></div>`,
		"below a bar":        `<p>Shown</p><div style="position:fixed;top:0;left:0;right:0;height:80px;background:#fff"></div><div style="height:2000px"></div>`,
		"in a portal":        `<div style="position:fixed;inset:0;background:#fff">App</div><div><div style="position:fixed;top:9px;background:#eee">Shown</div></div>`,
		"half covered":       `<div style="position:relative"><p>Shown and more</p><div style="position:absolute;inset:0 50% 0 0;background:#fff"></div></div>`,
		"row of a long list": `<div style="position:relative;height:40000px"><p style="position:absolute;transform:translateY(12000px)">Shown</p></div>`,
	} {
		t.Run(name, func(t *testing.T) {
			if text := tab.Row(t, body).Outline(); !strings.Contains(text, "Shown") {
				t.Errorf("the reading is\n%s", text)
			}
		})
	}
}

// What further styles hide is left out, and what they draw is read: in one page, one after the other.
func TestStylesThatHideOrDrawText(t *testing.T) {
	const flip = `<style>.d{perspective:300px}.c{transform-style:preserve-3d;transform:rotateY(180deg)}.c>*{backface-visibility:hidden}.k{transform:rotateY(180deg)}</style>`
	tab := pagetest.Show(t, "")
	for _, c := range []struct{ body, hidden, shown string }{
		{`<p style="rotate:x 90deg">Secret</p><p style="rotate:8deg">Shown</p>`, "Secret", "Shown"},
		{flip + `<div class=d><div class=c><p>Front</p><p class=k>Back</p></div></div>`, "Front", "Back"},
		{flip + `<div class=d><div class=c style="transform:none"><p>Front</p><p class=k>Back</p></div></div>`, "Back", "Front"},
		{`<p style="clip-path:inset(0 0 0 100%)">Secret</p><p style="clip-path:inset(0 0 0 10%)">Shown</p>`, "Secret", "Shown"},
		{`<p style="clip-path:polygon(0 0,100% 0,50% 0)">Secret</p><p style="clip-path:polygon(0 0,100% 0,50% 100%)">Shown</p>`, "Secret", "Shown"},
		{`<p style="clip-path:inset(-99px 0 99px 0)">Secret</p><p style="clip-path:ellipse(50% 50%)">Shown</p>`, "Secret", "Shown"},
		{`<p style="zoom:.01">Secret</p><p style="zoom:1.2">Shown</p>`, "Secret", "Shown"},
		{`<p style="color:oklch(99.5% 0 0)">Secret</p><p style="color:oklch(60% .1 20)">Shown</p>`, "Secret", "Shown"},
		{`<p style="color:color-mix(in lab,white 100%,black)">Secret</p><div style="background:lab(10 0 0)"><p style="color:white">Shown</p></div>`, "Secret", "Shown"},
		{`<p style="color:lch(50% 30 20 / 0)">Secret</p><p style="color:transparent;text-shadow:0 0 2px #000">Shown</p>`, "Secret", "Shown"},
		{`<p style="color:transparent;text-shadow:0 0 2px transparent">Secret</p><p style="color:transparent;-webkit-text-stroke:1px red">Shown</p>`, "Secret", "Shown"},
		{`<svg width=300 height=40><text y=20 fill=none>Secret</text><text y=20 x=99 fill=none stroke=red>Shown</text></svg>`, "Secret", "Shown"},
		{`<style>b{content:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E")}</style><p><b>Secret</b> Shown</p>`, "Secret", "Shown"},
		{`<div style="display:grid"><p style="grid-area:1/1">Secret</p><div style="grid-area:1/1;background:#fff;z-index:1">Shown</div></div>`, "Secret", "Shown"},
		{`<div style="display:grid"><p style="grid-area:1/1;margin:0">Secret</p><div style="grid-area:1/1;background:#fff">Shown</div></div>`, "Secret", "Shown"},
		{`<p style="height:30px;margin:0">Secret</p><div style="margin-top:-30px;height:30px;position:relative;background:#eee">Shown</div>`, "Secret", "Shown"},
		{`<p style="height:30px;margin:0">Secret</p><div style="transform:translateY(-30px);height:30px;background:#eee">Shown</div>`, "Secret", "Shown"},
		{`<style>.c{position:relative;z-index:1;background:#fff;height:40px}</style><div class=c>Shown</div><div class=c>B</div><div class=c>C</div>`, "Secret", "Shown"},
	} {
		tab.Body(c.body)
		if text := tab.Outline(); strings.Contains(text, c.hidden) || !strings.Contains(text, c.shown) {
			t.Errorf("%s\nreads, without %q and with %q:\n%s", c.body, c.hidden, c.shown, text)
		}
	}
}

// A control without a name keeps its text in every mode, also one that holds others.
func TestNamelessControlsKeepTheirText(t *testing.T) {
	tab := pagetest.Show(t, "")
	for body, want := range map[string]string{
		`<article tabindex=0>News of <b>today</b></article>`:               `article: News of today`,
		`<div role=group tabindex=0>Plain <span>group</span></div>`:        `group: Plain group`,
		`<ul tabindex=0><li>One<li>Two</ul>`:                               `list: One Two`,
		`<div role=tabpanel tabindex=0>Rates <a href=/r>Details</a></div>`: `Rates`,
	} {
		tab.Body(body)
		if text := tab.MustRead(read.Options{Mode: read.ModeInteractive}).Text; !strings.Contains(refs.ReplaceAllString(text, ""), want) {
			t.Errorf("%s\nreads, without %q:\n%s", body, want, text)
		}
	}
}
