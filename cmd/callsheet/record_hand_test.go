package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp/remote"
)

// hand is the mouse and keyboard of a person, by a DevTools client of its own.
type hand struct {
	*person

	session target.SessionID // of the page that has the pointer
}

// connectPerson connects to the running browser of a profile.
func connectPerson(t *testing.T, dir string) *hand {
	t.Helper()
	p := &person{t: t, dir: dir}
	eventually(t, "the recorded browser answers", func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		port, path, ok := strings.Cut(strings.TrimSpace(string(text)), "\n")
		if !ok {
			return false
		}
		conn, err := remote.DialContext(context.Background(), "ws://127.0.0.1:"+port+path)
		p.conn = conn
		return err == nil
	})
	t.Cleanup(func() { _ = p.conn.Close() })
	p.listen()
	return &hand{person: p}
}

// use attaches to the page whose address has a part, and waits until the recorder hears it.
func (h *hand) use(part string) {
	h.t.Helper()
	h.attachTo(part)
	h.await(`document.querySelector('callsheet-recorder') !== null`)
}

// attachTo attaches to a page.
func (h *hand) attachTo(part string) {
	h.t.Helper()
	h.session = ""
	eventually(h.t, "a page at "+part, func() bool {
		for _, i := range h.targets() {
			if strings.Contains(i.URL, part) {
				var res target.AttachToTargetResult
				h.call("", "Target.attachToTarget", map[string]any{"targetId": i.TargetID, "flatten": true}, &res)
				h.session = res.SessionID
			}
		}
		return h.session != ""
	})
	h.call(h.session, "Page.enable", map[string]any{}, &struct{}{})
}

// js evaluates an expression in the page; "" where the page is replaced meanwhile.
func (h *hand) js(code string) string {
	var res struct{ Result struct{ Value any } }
	if h.try(h.session, "Runtime.evaluate", map[string]any{"expression": code}, &res) != nil {
		return ""
	}
	return fmt.Sprint(res.Result.Value)
}

func (h *hand) await(condition string) {
	h.t.Helper()
	eventually(h.t, condition, func() bool { return h.js(condition) == "true" })
}

// spot returns the middle of an element.
func (h *hand) spot(element string) (x, y float64) {
	h.t.Helper()
	h.await(`!!(` + element + `)`)
	var at []float64
	text := h.js(`(() => { const e = ` + element + `; e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return JSON.stringify([r.x + r.width / 2, r.y + r.height / 2]); })()`)
	if json.Unmarshal([]byte(text), &at) != nil || len(at) != 2 {
		h.t.Fatalf("%s: %s", element, text)
	}
	return at[0], at[1]
}

func css(selector string) string { return fmt.Sprintf("document.querySelector(%q)", selector) }

// labelled is the element of a tag whose text, or whose label's text, begins with this.
func labelled(tag, text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => (e.labels?.[0] ?? e).textContent.trim().startsWith(%q))`, tag, text)
}

func (h *hand) mouse(kind string, x, y float64, extra map[string]any) {
	h.t.Helper()
	h.call(h.session, "Input.dispatchMouseEvent", mouseEvent(kind, x, y, extra), &struct{}{})
}

func mouseEvent(kind string, x, y float64, extra map[string]any) map[string]any {
	params := map[string]any{"type": kind, "x": x, "y": y}
	for name, value := range extra {
		params[name] = value
	}
	return params
}

func (h *hand) clickAt(x, y float64, button string) {
	h.t.Helper()
	h.mouse("mouseMoved", x, y, nil)
	h.mouse("mousePressed", x, y, map[string]any{"button": button, "clickCount": 1})
	h.mouse("mouseReleased", x, y, map[string]any{"button": button, "clickCount": 1})
}

func (h *hand) click(element string) {
	h.t.Helper()
	x, y := h.spot(element)
	h.clickAt(x, y, "left")
}

// clickAndForget clicks where a dialog opens, during which nothing is answered.
func (h *hand) clickAndForget(element string) {
	h.t.Helper()
	x, y := h.spot(element)
	h.mouse("mouseMoved", x, y, nil)
	h.mouse("mousePressed", x, y, map[string]any{"button": "left", "clickCount": 1})
	raw, err := json.Marshal(mouseEvent("mouseReleased", x, y, map[string]any{"button": "left", "clickCount": 1}))
	if err != nil {
		h.t.Fatal(err)
	}
	message := &cdproto.Message{ID: h.next.Add(1), SessionID: h.session, Method: "Input.dispatchMouseEvent", Params: raw}
	if err := h.conn.Write(context.Background(), message); err != nil {
		h.t.Fatal(err)
	}
}

// answer answers the dialog that opens next.
func (h *hand) answer(text string) {
	h.t.Helper()
	eventually(h.t, "a dialog opens", func() bool {
		return h.try(h.session, "Page.handleJavaScriptDialog", map[string]any{"accept": true, "promptText": text}, &struct{}{}) == nil
	})
}

// keyCodes are the keys without a text.
var keyCodes = map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Backspace": 8}

func (h *hand) key(name string) {
	h.t.Helper()
	down := map[string]any{"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": keyCodes[name]}
	if name == "Enter" {
		down["text"] = "\r"
	}
	h.call(h.session, "Input.dispatchKeyEvent", down, &struct{}{})
	h.call(h.session, "Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name, "code": name, "windowsVirtualKeyCode": keyCodes[name]}, &struct{}{})
}

func (h *hand) typeText(text string) {
	h.t.Helper()
	for _, c := range text {
		code := 0 // other codes than those of letters and digits are those of other keys
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			code = int(unicode.ToUpper(c))
		}
		h.call(h.session, "Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": string(c), "text": string(c), "windowsVirtualKeyCode": code}, &struct{}{})
		h.call(h.session, "Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": string(c), "windowsVirtualKeyCode": code}, &struct{}{})
	}
}

// fill clicks a field and types into it.
func (h *hand) fill(element, text string) {
	h.t.Helper()
	h.click(element)
	h.typeText(text)
}

// choose takes the n-th assertion, from 0, that a right click on an element offers.
func (h *hand) choose(element string, n int) {
	h.t.Helper()
	x, y := h.spot(element)
	h.clickAt(x, y, "right")
	h.await(`document.activeElement?.localName === 'callsheet-recorder'`)
	for range n {
		h.key("Tab")
	}
	h.key("Enter")
	h.await(`document.activeElement?.localName !== 'callsheet-recorder'`)
}

// drag drags with the browser's own drag and drop.
func (h *hand) drag(from, to string) {
	h.t.Helper()
	x, y := h.spot(from)
	toX, toY := h.spot(to)
	h.call(h.session, "Input.setInterceptDrags", map[string]any{"enabled": true}, &struct{}{})
	h.mouse("mouseMoved", x, y, nil)
	h.mouse("mousePressed", x, y, map[string]any{"button": "left", "clickCount": 1})
	h.mouse("mouseMoved", x+20, y+5, map[string]any{"button": "left", "buttons": 1})
	data := map[string]any{"items": []any{map[string]any{"mimeType": "text/plain", "data": "card"}}, "dragOperationsMask": 1}
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		h.call(h.session, "Input.dispatchDragEvent", map[string]any{"type": kind, "x": toX, "y": toY, "data": data}, &struct{}{})
	}
	h.mouse("mouseReleased", toX, toY, map[string]any{"button": "left", "clickCount": 1})
	h.call(h.session, "Input.setInterceptDrags", map[string]any{"enabled": false}, &struct{}{})
}

// stop presses Stop in the recorder's bar.
func (h *hand) stop() {
	h.t.Helper()
	var at []float64
	h.await(`document.elementFromPoint(innerWidth - 34, innerHeight - 28)?.localName === 'callsheet-recorder'`)
	if err := json.Unmarshal([]byte(h.js("JSON.stringify([innerWidth - 34, innerHeight - 28])")), &at); err != nil {
		h.t.Fatal(err)
	}
	h.mouse("mousePressed", at[0], at[1], map[string]any{"button": "left", "clickCount": 1})
	raw, _ := json.Marshal(mouseEvent("mouseReleased", at[0], at[1], map[string]any{"button": "left", "clickCount": 1}))
	_ = h.conn.Write(context.Background(), &cdproto.Message{ID: h.next.Add(1), SessionID: h.session, Method: "Input.dispatchMouseEvent", Params: raw}) // the browser ends
}

// offset is where a frame of another site begins in the page.
type offset struct{ left, top, x, y float64 }

func (o *offset) at(x, y float64) (float64, float64) { return o.left + x, o.top + y }

func (h *hand) frameOrigin(element string) *offset {
	h.t.Helper()
	h.await(`!!(` + element + `)`)
	var at []float64
	text := h.js(`(() => { const e = ` + element + `, r = e.getBoundingClientRect(); return JSON.stringify([r.x + e.clientLeft, r.y + e.clientTop]); })()`)
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		h.t.Fatal(err)
	}
	return &offset{left: at[0], top: at[1]}
}

// inFrame runs fn with the session of a frame that has a process of its own.
func (h *hand) inFrame(part string, fn func()) {
	h.t.Helper()
	own := h.session
	defer func() { h.session = own }()
	eventually(h.t, "a frame at "+part, func() bool {
		var res target.GetTargetsResult
		h.call("", "Target.getTargets", struct{}{}, &res)
		for _, i := range res.TargetInfos {
			if i.Type == "iframe" && strings.Contains(i.URL, part) {
				var attached target.AttachToTargetResult
				h.call("", "Target.attachToTarget", map[string]any{"targetId": i.TargetID, "flatten": true}, &attached)
				h.session = attached.SessionID
				return true
			}
		}
		return false
	})
	fn()
}

func (h *hand) hover(element string) {
	h.t.Helper()
	x, y := h.spot(element)
	h.mouse("mouseMoved", x-1, y, nil)
	h.mouse("mouseMoved", x, y, nil)
}

// wheel turns the wheel over the page.
func (h *hand) wheel(distance float64) {
	h.t.Helper()
	h.mouse("mouseWheel", 100, 100, map[string]any{"deltaX": 0, "deltaY": distance})
}

func (h *hand) closePage(part string) {
	h.t.Helper()
	for _, i := range h.targets() {
		if strings.Contains(i.URL, part) {
			h.call("", "Target.closeTarget", map[string]any{"targetId": i.TargetID}, &struct{}{})
		}
	}
}

// goBack presses the browser's own button.
func (h *hand) goBack() {
	h.t.Helper()
	var history struct {
		CurrentIndex int
		Entries      []struct{ ID int }
	}
	h.call(h.session, "Page.getNavigationHistory", struct{}{}, &history)
	h.call(h.session, "Page.navigateToHistoryEntry", map[string]any{"entryId": history.Entries[history.CurrentIndex-1].ID}, &struct{}{})
}
