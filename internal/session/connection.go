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

// Kind is the kind of a connection: the owner of its browser, and so how the connection ends.
type Kind string

// The kinds.
const (
	Own      Kind = "own"      // the server's browser, shared by its clients; starts on demand
	Launched Kind = "launched" // started for this client; ends with the connection
	Attached Kind = "attached" // started by somebody else; keeps running after the connection
	Worker   Kind = "worker"   // a browser context of the server's browser; ends with the connection
	Isolated Kind = "isolated" // the browser context of tabs of one name; ends with the last of them
)

// Default is the id of the connection that every client has from the start.
const Default = "default"

// Connection is one client's access to one browser. Its methods are safe for concurrent use.
type Connection struct {
	id          string
	kind        Kind
	owner       string // id of the parallel run that created a worker, or of the connection with the browser of isolated tabs
	name        string // of isolated tabs
	openings    int    // tabs that open; under the mutex of the set
	browser     *browser.Browser
	openSession func() *browser.Session
	release     func(context.Context) error // of an attached browser or isolated tabs; nil otherwise

	state    *toolset.State // written by Refresh alone
	onChange func()         // refreshes the facts of every connection

	mu        sync.Mutex
	debuggers map[*browser.Tab]*debugger.Debugger
}

func newConnection(id string, kind Kind, b *browser.Browser, open func() *browser.Session, moved func()) *Connection {
	return &Connection{
		id: id, kind: kind, browser: b, openSession: open, state: toolset.NewState(nil), onChange: moved,
		debuggers: make(map[*browser.Tab]*debugger.Debugger),
	}
}

// ID returns the id by which the client names the connection.
func (c *Connection) ID() string { return c.id }

// Session returns the client's part of the browser.
func (c *Connection) Session() *browser.Session { return c.openSession() }

// Ping measures the response time of the browser; ok is false when no browser runs.
func (c *Connection) Ping(ctx context.Context) (took time.Duration, ok bool, err error) {
	return c.browser.Ping(ctx)
}

// Debugger returns the debugger of the current tab, made at first use. Each tab has its own, which
// keeps its state while another tab is current. The errors are those of browser.Session.Tab and
// browser.Tab.Protocol, and browser.CrashedError.
func (c *Connection) Debugger(ctx context.Context) (*debugger.Debugger, error) {
	tab, err := c.openSession().Tab(ctx, "")
	if err != nil {
		return nil, err
	}
	if err := tab.CrashError(); err != nil { // a crashed page answers no command
		return nil, err
	}
	if d := tab.Dialogs.Open(); d != nil { // a dialog blocks the answers too
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
		d = debugger.New(session, debugger.Tab{Events: tab, Calls: &tab.Calls, Scripts: &tab.Scripts}, debugger.Events{
			EnabledChanged: func(bool) { c.onChange() },
			Paused:         func(debugger.Pause) { c.onChange() },
			Resumed:        c.onChange,
			Ended:          func(string) { c.onChange() },
		})
		c.debuggers[tab] = d
	}
	return d, nil
}

// observe reads the state of the connection without waiting for the browser.
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
	// Between the pauses of a step the tab stays blocked, so the client's tools do not come and go.
	now.paused = now.debuggerEnabled && tab.Calls.Blocked() != nil
	return now
}

// Info describes a connection.
type Info struct {
	ID              string
	Kind            Kind
	Active          bool
	Connected       bool
	BrowserGone     bool   // the browser exited; the next call that needs it starts or attaches to it again
	PID             int    // of a launched browser; 0 when it is not running
	Version         string // such as "Chrome/156.0.8078.79"; "" when it is not running
	Endpoint        string // where an attached browser listens; "" otherwise
	DebugPort       int    // debugging port of a launched browser; 0 for none
	DebuggerEnabled bool   // the debugger is attached to the current tab
	Paused          bool   // the debugger has paused the page
	Tabs            []browser.TabInfo
}

// info describes the connection. It asks the browser for its tabs only.
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

// end closes or releases the browser. A shared one keeps running while other sessions use it.
func (c *Connection) end(ctx context.Context, session string) error {
	switch c.kind {
	case Own:
		c.browser.EndSession(ctx, session)
		return nil
	case Worker:
		c.browser.EndWorker(ctx, session, c.id)
		return nil
	case Attached, Isolated:
		return c.release(ctx)
	case Launched:
	}
	return c.browser.Close(ctx)
}

// shared reports whether the connection uses the server's own browser.
func (c *Connection) shared() bool { return c.kind == Own || c.kind == Worker }
