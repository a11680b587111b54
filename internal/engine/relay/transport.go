package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"
)

// transport is a connection of chromedp to the browser of a link.
type transport struct {
	link    *link
	product string // such as "Chrome/156.0.0.0"

	mu       sync.Mutex
	queue    []*cdproto.Message
	arrived  chan struct{} // closed when queue is not empty or ended is set; replaced by Read
	ended    bool
	tabs     map[int]*target.Info // by the id of the extension
	sessions map[target.SessionID]session
	next     int
}

// session is one of a tab, or of a frame or worker in it.
type session struct {
	tab   int
	child string // the browser's own id of a frame's session; "" for that of the tab
	info  *target.Info
}

// helloResult is the answer of the extension to the first request.
type helloResult struct {
	UserAgent string     `json:"userAgent"`
	Tabs      []incoming `json:"tabs"`
}

func newTransport(ctx context.Context, l *link, tabs string) (*transport, error) {
	t := &transport{link: l, arrived: make(chan struct{}), tabs: make(map[int]*target.Info), sessions: make(map[target.SessionID]session)}
	l.setUser(t)
	answered := make(chan error, 1)
	l.request("hello", map[string]any{"tabs": tabs}, func(raw json.RawMessage, err error) {
		var g helloResult
		if err == nil {
			err = json.Unmarshal(raw, &g)
		}
		t.setTabs(g)
		answered <- err
	})
	select {
	case err := <-answered:
		if err != nil {
			return nil, fmt.Errorf("connect to the extension: %w", err)
		}
		return t, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (t *transport) setTabs(g helloResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.product = regexp.MustCompile(`Chrome/[0-9.]+`).FindString(g.UserAgent)
	for i := range g.Tabs {
		t.tabs[g.Tabs[i].Tab] = infoOf(&g.Tabs[i])
	}
}

func infoOf(m *incoming) *target.Info {
	return &target.Info{TargetID: target.ID(m.Target), Type: "page", URL: m.URL, Title: m.Title, OpenerID: target.ID(m.Opener)}
}

// Read implements chromedp.Transport. It returns io.EOF when the extension has let go.
func (t *transport) Read(ctx context.Context, msg *cdproto.Message) error {
	for {
		t.mu.Lock()
		if len(t.queue) > 0 {
			*msg = *t.queue[0]
			t.queue = t.queue[1:]
			t.mu.Unlock()
			return nil
		}
		ended, arrived := t.ended, t.arrived
		t.mu.Unlock()
		if ended {
			return io.EOF
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Close lets go of every tab.
func (t *transport) Close() error {
	t.end()
	t.mu.Lock()
	var attached []int
	for _, s := range t.sessions {
		if s.child == "" {
			attached = append(attached, s.tab)
		}
	}
	clear(t.sessions)
	t.mu.Unlock()
	for _, tab := range attached {
		t.link.request("detach", map[string]any{"tab": tab}, func(json.RawMessage, error) {})
	}
	return nil
}

func (t *transport) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.ended = true
		t.wakeLocked()
	}
}

func (t *transport) wakeLocked() {
	close(t.arrived)
	t.arrived = make(chan struct{})
}

// push queues a message for Read.
func (t *transport) push(m *cdproto.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pushLocked(m)
}

func (t *transport) pushLocked(m *cdproto.Message) {
	if t.ended {
		return
	}
	t.queue = append(t.queue, m)
	t.wakeLocked()
}

func (t *transport) pushEventLocked(method string, params any) {
	raw, err := json.Marshal(params)
	if err != nil {
		return
	}
	t.pushLocked(&cdproto.Message{Method: cdproto.MethodType(method), Params: raw})
}

// onEvent handles an event of the extension.
func (t *transport) onEvent(m *incoming) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch m.Event {
	case "created":
		t.tabs[m.Tab] = infoOf(m)
		t.pushEventLocked("Target.targetCreated", map[string]any{"targetInfo": t.tabs[m.Tab]})
	case "changed":
		if i := t.tabs[m.Tab]; i != nil {
			i.URL, i.Title = m.URL, m.Title
			t.pushEventLocked("Target.targetInfoChanged", map[string]any{"targetInfo": i})
		}
	case "removed":
		t.removeLocked(m)
	case "protocol":
		t.onProtocolLocked(m)
	}
}

func (t *transport) removeLocked(m *incoming) {
	delete(t.tabs, m.Tab)
	for id, s := range t.sessions {
		if s.tab == m.Tab {
			delete(t.sessions, id)
			t.pushEventLocked("Target.detachedFromTarget", map[string]any{"sessionId": id, "targetId": s.info.TargetID})
		}
	}
	t.pushEventLocked("Target.targetDestroyed", map[string]any{"targetId": m.Target})
}

// onProtocolLocked passes on an event of a page, and learns the sessions of its frames.
func (t *transport) onProtocolLocked(m *incoming) {
	in := target.SessionID(m.Session)
	for id, s := range t.sessions {
		if m.Session == "" && s.tab == m.Tab && s.child == "" {
			in = id
		}
	}
	if in == "" {
		return
	}
	var child struct {
		SessionID  target.SessionID `json:"sessionId"`
		TargetInfo *target.Info     `json:"targetInfo"`
	}
	switch m.Method {
	case "Target.attachedToTarget":
		if json.Unmarshal(m.Params, &child) == nil && child.TargetInfo != nil {
			t.sessions[child.SessionID] = session{tab: m.Tab, child: string(child.SessionID), info: child.TargetInfo}
		}
	case "Target.detachedFromTarget":
		if json.Unmarshal(m.Params, &child) == nil {
			delete(t.sessions, child.SessionID)
		}
	}
	t.pushLocked(&cdproto.Message{SessionID: in, Method: cdproto.MethodType(m.Method), Params: []byte(m.Params)})
}
