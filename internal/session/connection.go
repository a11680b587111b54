package session

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/debugger"
)

// Kind says whose browser a connection leads to, and so what becomes of it in the end.
type Kind string

// The kinds.
const (
	Own      Kind = "own"      // the server's, shared by its clients; starts when it is needed
	Launched Kind = "launched" // started for this client; ends with the connection
	Attached Kind = "attached" // ran before; goes on without us
	Worker   Kind = "worker"   // a part of the server's own that shares no cookies with the others; ends with the connection
)

// Default is the id of the connection that every client has from the start.
const Default = "default"

// Connection is one browser in the hands of one client. Its methods are safe for concurrent use.
type Connection struct {
	id          string
	kind        Kind
	owner       string // the piece of work that a worker was made for, or ""
	browser     *browser.Browser
	openSession func() *browser.Session

	state    *toolset.State // changed by settle alone
	onChange func()         // looks at everything again

	mu        sync.Mutex
	debuggers map[*browser.Tab]*debugger.Debugger
}

func newConnection(id string, kind Kind, b *browser.Browser, open func() *browser.Session, moved func()) *Connection {
	return &Connection{
		id: id, kind: kind, browser: b, openSession: open, state: toolset.NewState(nil), onChange: moved,
		debuggers: make(map[*browser.Tab]*debugger.Debugger),
	}
}

// ID returns the name under which the client knows the connection.
func (c *Connection) ID() string { return c.id }

// Session returns the client's part of the browser.
func (c *Connection) Session() *browser.Session { return c.openSession() }

// Ping returns how long the connection's browser takes to answer; ok is false when none runs.
func (c *Connection) Ping(ctx context.Context) (took time.Duration, ok bool, err error) {
	return c.browser.Ping(ctx)
}

// Debugger returns the debugger of the current tab, made at first use. Each tab has its own, which stays as it is while
// another tab is the current one. The errors are those of browser.Session.Tab and browser.Tab.Protocol, and browser.CrashedError.
func (c *Connection) Debugger(ctx context.Context) (*debugger.Debugger, error) {
	tab, err := c.openSession().Tab(ctx, "")
	if err != nil {
		return nil, err
	}
	if err := tab.CrashError(); err != nil { // its debugger would wait for an answer
		return nil, err
	}
	if d := tab.Dialog(); d != nil { // nor would one that waits for an answer
		return nil, &browser.DialogError{Tab: tab.ID(), Dialog: *d}
	}
	session, err := tab.Protocol(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.debuggers[tab]
	if !ok {
		maps.DeleteFunc(c.debuggers, func(t *browser.Tab, _ *debugger.Debugger) bool { return t.Closed() })
		d = debugger.New(session, tab, debugger.Events{
			EnabledChanged: func(bool) { c.onChange() },
			Paused:         func(debugger.Pause) { c.onChange() },
			Resumed:        c.onChange,
			Ended:          func(string) { c.onChange() },
		})
		c.debuggers[tab] = d
	}
	return d, nil
}

// observe sees what is the case with the connection. It waits for nothing.
func (c *Connection) observe() observedState {
	session := c.openSession()
	if !session.Connected() {
		return observedState{}
	}
	now := observedState{connected: true, dialogOpen: len(session.TabsWithDialog()) > 0}
	tab, err := session.Tab(context.Background(), "")
	if err != nil {
		return now
	}
	c.mu.Lock()
	d := c.debuggers[tab]
	c.mu.Unlock()
	now.debuggerEnabled = d != nil && d.Enabled()
	// Between the pauses of a step the tab stays blocked, and the client need not see its tools come and go.
	now.paused = now.debuggerEnabled && tab.Blocked() != nil
	return now
}

// Info describes a connection.
type Info struct {
	ID              string
	Kind            Kind
	Active          bool
	Connected       bool
	BrowserGone     bool   // its browser ended by itself; the next call that needs one starts or attaches to it again
	PID             int    // of a browser started here; 0 when it is not running
	Version         string // such as "Chrome/156.0.8078.79"; "" when it is not running
	Endpoint        string // where an attached browser listens; "" otherwise
	DebugPort       int    // where a launched browser listens; 0 for nowhere
	DebuggerEnabled bool   // the debugger is attached to the current tab
	Paused          bool   // and has stopped its scripts
	Tabs            []browser.TabInfo
}

// info asks the browser for its tabs, nothing else.
func (c *Connection) info(ctx context.Context) Info {
	session, status, real := c.openSession(), c.browser.Status(), stateFromFacts(c.state.Facts())
	out := Info{
		ID: c.id, Kind: c.kind, Connected: session.Connected(), BrowserGone: session.BrowserGone(),
		Endpoint: status.Endpoint, DebuggerEnabled: real.debuggerEnabled, Paused: real.paused, Tabs: session.Tabs(ctx),
	}
	if out.Connected {
		out.PID, out.Version, out.DebugPort = status.PID, status.Version, status.DebugPort
	}
	return out
}

// end gives the browser back. A shared one keeps running while others have tabs in it.
func (c *Connection) end(ctx context.Context, session string) error {
	switch c.kind {
	case Own:
		c.browser.EndSession(ctx, session)
		return nil
	case Worker:
		c.browser.EndWorker(ctx, session, c.id)
		return nil
	case Launched, Attached:
	}
	return c.browser.Close(ctx)
}

// shared reports whether the connection leads to the server's own browser.
func (c *Connection) shared() bool { return c.kind == Own || c.kind == Worker }
