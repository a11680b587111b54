package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"
)

// The codes of protocol errors.
const (
	codeServerError = -32000
	codeNoMethod    = -32601
)

// Write implements chromedp.Transport.
func (t *transport) Write(_ context.Context, m *cdproto.Message) error {
	if m.SessionID == "" {
		t.browserCommand(m)
		return nil
	}
	t.mu.Lock()
	s, ok := t.sessions[m.SessionID]
	t.mu.Unlock()
	switch {
	case !ok:
		t.fail(m, codeServerError, "Session with given id not found.")
	case m.Method == "Target.setDiscoverTargets": // the browser-wide list is the relay's
		t.succeed(m, struct{}{})
	case strings.HasPrefix(string(m.Method), "Browser."):
		t.browserCommand(m)
	default:
		params := json.RawMessage(m.Params)
		if len(params) == 0 {
			params = json.RawMessage("{}")
		}
		request := map[string]any{"tab": s.tab, "method": m.Method, "params": params}
		if s.child != "" {
			request["session"] = s.child
		}
		t.link.request("send", request, func(raw json.RawMessage, err error) { t.answer(m, raw, err) })
	}
	return nil
}

// browserCommand answers a command that addresses the browser.
func (t *transport) browserCommand(m *cdproto.Message) {
	var p struct {
		TargetID  target.ID        `json:"targetId"`
		SessionID target.SessionID `json:"sessionId"`
		URL       string           `json:"url"`
		Flatten   bool             `json:"flatten"`
		Context   string           `json:"browserContextId"`
	}
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &p) != nil {
		t.fail(m, codeServerError, "the parameters cannot be read")
		return
	}
	switch m.Method {
	case "Target.createTarget":
		t.create(m, p.URL, p.Context)
	case "Target.closeTarget":
		t.closeTab(m, p.TargetID)
	case "Browser.getVersion":
		t.succeed(m, map[string]any{"protocolVersion": "1.3", "product": t.product, "revision": "", "userAgent": "", "jsVersion": ""})
	case "Browser.setDownloadBehavior", "Target.setDiscoverTargets", "Target.setAutoAttach", "Target.activateTarget":
		t.succeed(m, struct{}{}) // nothing of it is for the person's browser
	case "Target.getTargets":
		t.mu.Lock()
		infos := t.infosLocked()
		t.mu.Unlock()
		t.succeed(m, map[string]any{"targetInfos": infos})
	case "Target.getTargetInfo":
		if _, info := t.tabOf(p.TargetID); info.TargetID != "" {
			t.succeed(m, map[string]any{"targetInfo": info})
			return
		}
		t.fail(m, codeServerError, "No target with given id found")
	case "Target.attachToTarget":
		t.attach(m, p.TargetID, p.Flatten)
	case "Target.detachFromTarget":
		t.detach(m, p.SessionID)
	default:
		t.fail(m, codeNoMethod, fmt.Sprintf("'%s' is not available through the extension", m.Method))
	}
}

// create opens a tab.
func (t *transport) create(m *cdproto.Message, address, in string) {
	if in != "" {
		t.fail(m, codeServerError, "the extension has no browser contexts of agents")
		return
	}
	t.link.request("open", map[string]any{"url": address}, func(raw json.RawMessage, err error) {
		var made incoming
		if err == nil {
			err = json.Unmarshal(raw, &made)
		}
		t.reply(m, map[string]any{"targetId": made.Target}, err)
	})
}

// closeTab closes a tab that was opened here; the extension refuses others.
func (t *transport) closeTab(m *cdproto.Message, id target.ID) {
	tab, info := t.tabOf(id)
	if info.TargetID == "" {
		t.fail(m, codeServerError, "No target with given id found")
		return
	}
	t.link.request("close", map[string]any{"tab": tab}, func(_ json.RawMessage, err error) {
		t.reply(m, map[string]any{"success": true}, err)
	})
}

// infosLocked lists the targets: tabs, and the frames and workers in them.
func (t *transport) infosLocked() []target.Info {
	infos := make([]target.Info, 0, len(t.tabs))
	for _, i := range t.tabs {
		infos = append(infos, *i)
	}
	for _, s := range t.sessions {
		if s.child != "" {
			infos = append(infos, *s.info)
		}
	}
	return infos
}

func (t *transport) tabOf(id target.ID) (int, target.Info) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for tab, i := range t.tabs {
		if i.TargetID == id {
			return tab, *i
		}
	}
	return 0, target.Info{}
}

// attach opens a session with a tab. A frame or worker has one, which the browser opened.
func (t *transport) attach(m *cdproto.Message, id target.ID, flat bool) {
	if !flat {
		t.fail(m, codeServerError, "the extension has flat sessions only")
		return
	}
	t.mu.Lock()
	for sid, s := range t.sessions {
		if s.child != "" && s.info.TargetID == id {
			t.mu.Unlock()
			t.succeed(m, map[string]any{"sessionId": sid})
			return
		}
	}
	t.mu.Unlock()
	tab, info := t.tabOf(id)
	if info.TargetID == "" {
		t.fail(m, codeServerError, "No target with given id found")
		return
	}
	t.link.request("attach", map[string]any{"tab": tab}, func(_ json.RawMessage, err error) {
		if err != nil {
			t.fail(m, codeServerError, err.Error())
			return
		}
		t.mu.Lock()
		t.next++
		sid := target.SessionID(fmt.Sprintf("tab-%d-%d", tab, t.next))
		t.sessions[sid] = session{tab: tab, info: &info}
		t.mu.Unlock()
		t.succeed(m, map[string]any{"sessionId": sid})
	})
}

// detach ends a session, and the debugger of its tab with the last one.
func (t *transport) detach(m *cdproto.Message, id target.SessionID) {
	t.mu.Lock()
	s, ok := t.sessions[id]
	last := ok && s.child == ""
	if last {
		delete(t.sessions, id)
		t.pushEventLocked("Target.detachedFromTarget", map[string]any{"sessionId": id, "targetId": s.info.TargetID})
	}
	for _, o := range t.sessions {
		last = last && (o.tab != s.tab || o.child != "")
	}
	t.mu.Unlock()
	if last {
		t.link.request("detach", map[string]any{"tab": s.tab}, func(json.RawMessage, error) {})
	}
	t.succeed(m, struct{}{})
}

func (t *transport) succeed(m *cdproto.Message, result any) { t.reply(m, result, nil) }

func (t *transport) reply(m *cdproto.Message, result any, err error) {
	raw, encode := json.Marshal(result)
	if err == nil {
		err = encode
	}
	t.answer(m, raw, err)
}

// answer queues the answer to a command. chrome.debugger tells an error as JSON in a text.
func (t *transport) answer(m *cdproto.Message, raw json.RawMessage, err error) {
	if err == nil {
		t.push(&cdproto.Message{ID: m.ID, SessionID: m.SessionID, Result: []byte(raw)})
		return
	}
	var told cdproto.Error
	if json.Unmarshal([]byte(err.Error()), &told) != nil || told.Message == "" {
		told = cdproto.Error{Code: codeServerError, Message: err.Error()}
	}
	t.fail(m, told.Code, told.Message)
}

func (t *transport) fail(m *cdproto.Message, code int64, text string) {
	t.push(&cdproto.Message{ID: m.ID, SessionID: m.SessionID, Error: &cdproto.Error{Code: code, Message: text}})
}
