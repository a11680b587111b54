package main

import (
	"embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The secrets of the flows: a password, a one-time code, and a value of the vault that is typed
// into a plain field.
const (
	typedPassword = "correct-horse-battery"
	typedCode     = "774411"
	vaultValue    = "vault-key-93f1c2"
)

//go:embed testdata/person/*.html
var personPages embed.FS

// servePersonPages serves the flows, and their frames under another site.
func servePersonPages(t *testing.T) string {
	t.Helper()
	other := ""
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/welcome" {
			who := "nobody"
			if r.FormValue("password") == typedPassword && r.FormValue("code") == typedCode && r.FormValue("key") == vaultValue {
				who = r.FormValue("email")
			}
			_, _ = fmt.Fprintf(w, "<!doctype html><title>Welcome</title><h1 id=hello>Welcome, %s</h1><p>Your password is %s</p>", who, r.FormValue("password"))
			return
		}
		name, _, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
		text, err := personPages.ReadFile("testdata/person/" + strings.TrimSuffix(name, ".html") + ".html")
		if err != nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(strings.ReplaceAll(string(text), "OTHER", other)))
	})
	site := httptest.NewServer(handler)
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	other = strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	return site.URL
}

// personFlow has the actions of a person on a page of testdata/person.
type personFlow struct {
	page   string
	do     func(h *hand)
	params []string // that a replay needs
	tools  string   // of the steps, in order
	proof  string   // what the page said at the end, which an assertion holds
}

func personFlows() []personFlow {
	return []personFlow{
		{page: "login", params: []string{"password=" + typedPassword, "code=" + typedCode}, do: func(h *hand) {
			h.fill(css("[name=email]"), "ada@example.com")
			h.fill(css("[name=password]"), typedPassword)
			h.fill(css("[name=code]"), typedCode)
			h.fill(css("[name=key]"), vaultValue)
			h.key("Enter")
			h.use("/welcome")
			h.choose(css("#hello"), 1)
		}, tools: "navigate form_input form_input form_input form_input computer oc_assert", proof: "Welcome, ada@example.com"},
		{page: "form", do: func(h *hand) {
			h.js(css("[name=country]") + ".focus()")
			h.typeText("b")
			h.js(css("[name=born]") + ".focus()")
			h.typeText("03041990")
			h.js(css("[name=volume]") + ".focus()")
			for range 3 {
				h.key("ArrowRight")
			}
			h.click(labelled("label", "Large"))
			h.click(css("[name=terms]"))
			h.click(css("#next"))
			h.fill(css("textarea"), "None so far")
			h.fill(css("[name=name]"), "Ada")
			h.key("Enter")
			h.await(`document.querySelector('#out').textContent.startsWith('Thanks')`)
			h.choose(css("#out"), 1)
			h.choose(css("#out"), 2)
		}, tools: "navigate form_input form_input form_input form_input form_input interact form_input form_input computer oc_assert oc_assert", proof: "Thanks, Brazil, 1990-03-04, 5, large, None so far, Ada"},
		{page: "shop", do: func(h *hand) {
			h.inFrame("/cart.html", func() { h.await(`document.readyState === 'complete'`) })
			h.click(`document.querySelector('shop-item[label="Red lamp"]').shadowRoot.querySelector('button')`)
			frame := h.frameOrigin(css("iframe"))
			h.inFrame("/cart.html", func() {
				h.await(`document.querySelector('#item').textContent === 'Red lamp'`)
				frame.x, frame.y = frame.at(h.spot(css("[name=quantity]")))
			})
			h.clickAt(frame.x, frame.y, "left")
			h.key("Backspace")
			h.typeText("2")
			h.inFrame("/cart.html", func() { frame.x, frame.y = frame.at(h.spot(css("#order"))) })
			h.clickAt(frame.x, frame.y, "left")
			h.await(`document.querySelector('#state').textContent === 'Ordered 2 × Red lamp'`)
			h.choose(css("#state"), 1)
		}, tools: "navigate interact form_input interact oc_assert", proof: "Ordered 2 × Red lamp"},
		{page: "popup", do: func(h *hand) {
			h.click(css("a"))
			h.use("/terms.html")
			h.click(css("#accept"))
			h.choose(css("#said"), 1)
			h.closePage("/terms.html")
			h.attachTo("/popup")
			h.click(css("#go"))
			h.choose(css("#out"), 1)
		}, tools: "navigate interact interact oc_assert tabs_close interact oc_assert", proof: "The contract is closed"},
		{page: "board", do: func(h *hand) {
			h.drag(css("#card"), css("#done"))
			h.fill(css("#note"), "By Friday")
			h.clickAndForget(css("#remove"))
			h.answer("")
			h.answer("It is over")
			h.await(`document.querySelector('#out').textContent !== ''`)
			h.choose(css("#out"), 1)
		}, tools: "navigate drag_drop form_input interact dialog dialog oc_assert", proof: "Removed, done, By Friday, It is over"},
		{page: "app", do: func(h *hand) {
			h.hover(`document.querySelector('nav a')`)
			h.click(`document.querySelector('[href="/app/costs"]')`)
			h.await(`location.pathname === '/app/costs'`)
			h.click(css("#save"))
			h.hover(css("#more span"))
			h.await(`!document.querySelector('#sub').hidden`)
			h.click(`document.querySelector('[href="/app/help"]')`)
			h.await(`location.pathname === '/app/help'`)
			h.goBack()
			h.await(`location.pathname === '/app/costs'`)
			h.choose(css("#view"), 1)
			h.choose(css("#save"), 0)
		}, tools: "navigate interact interact interact interact interact navigate oc_assert oc_assert", proof: "View costs"},
		{page: "feed", do: func(h *hand) {
			h.click(labelled("button", "Open 3"))
			h.wheel(5000)
			h.await(labelled("button", "Open 17") + ` !== undefined`)
			h.click(labelled("button", "Open 17"))
			h.choose(css("#out"), 1)
		}, tools: "navigate interact computer interact oc_assert", proof: "Story 17"},
	}
}
