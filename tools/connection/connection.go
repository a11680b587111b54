// Package connection implements the tools of area connection: several browsers at once, their
// pages, and elements by CSS selector.
//
// It resolves arguments to browsers and elements and renders results; internal/session keeps the
// connections, and the engine finds elements and acts on them.
package connection

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/connectionapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/text"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	output   *files.Dir
}

// New makes the handlers; profiles that stay are kept below output.
func New(sessions session.Lookup, output *files.Dir) *Tools {
	return &Tools{sessions: sessions, output: output}
}

var _ connectionapi.Handlers = (*Tools)(nil)

// ChromeLaunch starts a browser and connects to it.
func (t *Tools) ChromeLaunch(ctx context.Context, call *toolkit.Call, in connectionapi.ChromeLaunchParams, powers connectionapi.ChromeLaunchPowers) (toolkit.Result, error) {
	launch := session.LaunchOptions{
		ID: in.ConnectionID.Value, Port: in.DebugPort.Value, Args: strings.Fields(in.ExtraArgs.Value),
	}
	if in.UserDataDir.Set { // never the person's own profile, whose logins are not the client's
		dir, err := t.output.For(call.Session.ID).MakeDir(powers.FileWrite(), in.UserDataDir.Value)
		if err != nil {
			return toolkit.Result{}, err
		}
		launch.UserDataDir = dir
	}
	if in.Headless.Set {
		launch.Headless = &in.Headless.Value
	}
	set := t.sessions.Set(call)
	c, err := set.Launch(ctx, powers.Process(), launch)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(made(ctx, set, c.ID())), nil
}

// ChromeConnect attaches to a running browser.
func (t *Tools) ChromeConnect(ctx context.Context, call *toolkit.Call, in connectionapi.ChromeConnectParams, powers connectionapi.ChromeConnectPowers) (toolkit.Result, error) {
	set := t.sessions.Set(call)
	c, err := set.Connect(ctx, powers.Network(), session.AttachOptions{ID: in.ConnectionID.Value, Host: in.Host, Port: in.Port.Value})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(made(ctx, set, c.ID())), nil
}

// made tells of a new connection, and which one is active if that is another.
func made(ctx context.Context, set *session.Set, id string) string {
	text, active := "", ""
	for _, info := range set.List(ctx) {
		switch {
		case info.ID == id:
			text = line(info)
		case info.Active:
			active = fmt.Sprintf("\nthe active connection is still %s", info.ID)
		}
	}
	return text + active
}

// ChromeListConnections lists the connections with their state and page.
func (t *Tools) ChromeListConnections(ctx context.Context, call *toolkit.Call, _ connectionapi.ChromeListConnectionsParams) (toolkit.Result, error) {
	lines := slicesx.Map(t.sessions.Set(call).List(ctx), line)
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// ChromeSwitchConnection makes a connection the active one.
func (t *Tools) ChromeSwitchConnection(ctx context.Context, call *toolkit.Call, in connectionapi.ChromeSwitchConnectionParams) (toolkit.Result, error) {
	set := t.sessions.Set(call)
	c, err := set.Switch(ctx, in.ConnectionID)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(made(ctx, set, c.ID())), nil
}

// ChromeDisconnect ends a connection.
func (t *Tools) ChromeDisconnect(ctx context.Context, call *toolkit.Call, in connectionapi.ChromeDisconnectParams) (toolkit.Result, error) {
	set := t.sessions.Set(call)
	active, err := set.Disconnect(ctx, in.ConnectionID)
	if err != nil {
		return toolkit.Result{}, err
	}
	text := fmt.Sprintf("disconnected %s", in.ConnectionID)
	for _, info := range set.List(ctx) {
		if info.ID == active.ID() {
			text += "\n" + line(info)
		}
	}
	return toolkit.Text(text), nil
}

// line shows a connection: port-9222 (active): attached to http://127.0.0.1:9222, Chrome/156.0, 2
// tabs, t3 https://… "Title".
func line(c session.Info) string {
	var b strings.Builder
	b.WriteString(c.ID)
	if c.Active {
		b.WriteString(" (active)")
	}
	b.WriteString(": " + kind(c))
	switch {
	case c.BrowserGone:
		b.WriteString(", exited by itself")
	case !c.Connected:
		b.WriteString(", not in use")
	default:
		fmt.Fprintf(&b, ", %s", c.Version)
	}
	if c.PID != 0 {
		fmt.Fprintf(&b, ", process %d", c.PID)
	}
	if c.DebugPort != 0 {
		fmt.Fprintf(&b, ", port %d", c.DebugPort)
	}
	if n := len(c.Tabs); n > 1 {
		fmt.Fprintf(&b, ", %d tabs", n)
	}
	for _, t := range c.Tabs {
		if t.Current {
			b.WriteString(", " + current(t))
		}
	}
	switch {
	case c.Paused:
		b.WriteString(", paused in the debugger")
	case c.DebuggerEnabled:
		b.WriteString(", debugging")
	}
	return b.String()
}

func kind(c session.Info) string {
	switch c.Kind {
	case session.Attached:
		return "attached to " + c.Endpoint
	case session.Launched:
		return "launched"
	case session.Worker:
		return "a worker in the server's own"
	case session.Isolated:
		return "the isolated tabs of a name"
	case session.Own:
	}
	if c.Endpoint != "" {
		return "the server's own, at " + c.Endpoint
	}
	return "the server's own"
}

func current(t browser.TabInfo) string {
	text := fmt.Sprintf("%s %s %q", t.ID, text.ClipRunes(t.URL, 100), text.ClipRunes(t.Title, 60))
	if t.LossReason != "" {
		text += " " + t.LossReason
	}
	if t.Dialog != nil {
		text += fmt.Sprintf(" with %s open", t.Dialog.Describe())
	}
	return text
}
