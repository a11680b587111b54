package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/chromedp/chromedp"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/running"
	"github.com/callsheet/callsheet/internal/engine/watchdog"
	"github.com/callsheet/callsheet/internal/fault"
)

// PersonBrowser names a running browser of the person who uses this machine. The zero value is the
// only one whose remote debugging is allowed.
type PersonBrowser struct {
	Dir  string // its profile directory; "" means any of the usual ones
	Port int    // its debugging port; 0 means any
}

// ChooseError reports that not exactly one running browser may be attached to.
type ChooseError struct {
	Found []running.Browser // that run, those that may be attached to first
	Dir   string            // the one that was meant, or ""
}

func (e *ChooseError) Error() string {
	allowed := e.allowed()
	switch {
	case len(allowed) > 1:
		return fmt.Sprintf("%d browsers allow remote debugging; choose one by its port: %s", len(allowed), strings.Join(describeAll(allowed), "; "))
	case len(e.Found) > 0:
		return fmt.Sprintf("%s runs, but its person has not allowed remote debugging: %s", strings.Join(describeAll(e.Found), "; "), HowToAllow)
	case e.Dir != "":
		return fmt.Sprintf("no browser runs with the profile %s", e.Dir)
	}
	return "no Chrome or Chromium of this user was found: start it, then " + HowToAllow + "; one that runs is found by its profile, " +
		"which --user-data-dir names"
}

// HowToAllow says how a person allows remote debugging.
const HowToAllow = "open chrome://inspect/#remote-debugging in it and turn remote debugging on (Chrome 144 and later), " +
	"or start it with --remote-debugging-port=0 --user-data-dir=DIR"

func (e *ChooseError) allowed() []running.Browser {
	return slicesx.Filter(e.Found, func(b running.Browser) bool { return b.Allowed() })
}

func describeAll(all []running.Browser) (out []string) {
	for _, b := range all {
		text := b.Name()
		if b.Port != 0 {
			text += " at port " + strconv.Itoa(b.Port)
		}
		out = append(out, text+" ("+b.Dir+")")
	}
	return out
}

// Code is codes.Ambiguous if there are several, else codes.NoBrowser.
func (e *ChooseError) Code() codes.Code {
	if len(e.allowed()) > 1 {
		return codes.Ambiguous
	}
	return codes.NoBrowser
}

// Fields returns the candidates.
func (e *ChooseError) Fields() []fault.Field {
	return []fault.Field{{Name: "candidates", Value: describeAll(e.allowed())}}
}

// find returns the browser that is meant.
func (p PersonBrowser) find(ctx context.Context) (running.Browser, *ChooseError) {
	found := p.Candidates(ctx)
	e := &ChooseError{Found: found, Dir: p.Dir}
	if allowed := e.allowed(); len(allowed) == 1 {
		return allowed[0], nil
	}
	return running.Browser{}, e
}

// Candidates returns the running browsers that could be meant.
func (p PersonBrowser) Candidates(ctx context.Context) (out []running.Browser) {
	if p.Dir != "" {
		if b, ok := running.At(ctx, running.Place{Dir: p.Dir}); ok {
			out = append(out, b)
		}
		return out
	}
	for _, b := range running.Find(ctx) {
		if p.Port == 0 || b.Port == p.Port {
			out = append(out, b)
		}
	}
	return out
}

// Remote returns the browser to attach to. It is looked for at each connection, since a browser that
// starts again listens elsewhere.
func (p PersonBrowser) Remote(tabs browser.TabAccess) *browser.Remote {
	return &browser.Remote{
		Name: cmp.Or(p.Dir, "the browser of this user"), Tabs: tabs, Person: true,
		Dial: func(ctx context.Context) (chromedp.Transport, error) {
			b, err := p.find(ctx)
			if err != nil {
				return nil, err
			}
			return watchdog.Dial(ctx, b.Address)
		},
	}
}

// remoteOf returns a browser that was found.
func remoteOf(b running.Browser, tabs browser.TabAccess) *browser.Remote {
	r := PersonBrowser{Dir: b.Dir}.Remote(tabs)
	r.Name = b.Name() + " (" + b.Dir + ")"
	return r
}

// remoteAt returns the browser at a debugging port of this machine, which answers HTTP there. Only
// the path of its answer is used: a service at the port could name another machine.
func remoteAt(host string, port int, tabs browser.TabAccess) *browser.Remote {
	address := net.JoinHostPort(host, strconv.Itoa(port))
	return &browser.Remote{
		Name: "http://" + address, Tabs: tabs, Person: true,
		Dial: func(ctx context.Context) (chromedp.Transport, error) {
			path, err := running.WebSocketPath(ctx, address)
			if err != nil {
				return nil, err
			}
			return watchdog.Dial(ctx, "ws://"+address+path)
		},
	}
}

// customaryPort is the debugging port that programs use by habit.
const customaryPort = 9222

// personRemote returns the browser that a client wants to attach to, and fills in its port. One of a
// person of this machine is known by its profile; others are reached through their port alone.
func personRemote(ctx context.Context, host string, a *AttachOptions, tabs browser.TabAccess) (*browser.Remote, error) {
	local := net.ParseIP(host).IsLoopback()
	if !local {
		if a.Port == 0 {
			return nil, fault.Invalid("port 0: the port of a browser on another machine is needed")
		}
		return &browser.Remote{Name: "http://" + net.JoinHostPort(host, strconv.Itoa(a.Port)), Tabs: tabs}, nil
	}
	found, err := PersonBrowser{Port: a.Port}.find(ctx)
	switch {
	case err == nil:
		a.Port = found.Port
		return remoteOf(found, tabs), nil
	case a.Port == 0 && len(err.allowed()) > 0:
		return nil, err
	case a.Port == 0: // a browser with another profile directory listens at the customary port
		if _, silent := running.WebSocketPath(ctx, net.JoinHostPort(host, strconv.Itoa(customaryPort))); silent != nil {
			return nil, err
		}
		a.Port = customaryPort
	}
	return remoteAt(host, a.Port, tabs), nil
}

// Attach makes the sessions of every client use the browser of a person from now on, over one
// connection. The server's own browser ends. The errors are ChooseError, browser.ErrNoPins,
// ErrSeveralBrowsers and those of attaching.
func (r *Registry) Attach(ctx context.Context, p PersonBrowser, tabs browser.TabAccess) (running.Browser, error) {
	if len(r.browsers) > 1 {
		return running.Browser{}, ErrSeveralBrowsers
	}
	found, choose := p.find(ctx)
	if choose != nil {
		return running.Browser{}, choose
	}
	return found, r.own.Attach(ctx, *remoteOf(found, tabs))
}

// AttachExtension is Attach for the browser that is connected through the extension, which lists no
// other tabs than those that agents may use. The error is relay.ErrNoExtension where none is.
func (r *Registry) AttachExtension(ctx context.Context, tabs browser.TabAccess) error {
	if len(r.browsers) > 1 {
		return ErrSeveralBrowsers
	}
	return r.own.Attach(ctx, browser.Remote{
		Name: "the browser of the extension", Tabs: tabs, Listed: true, Person: true,
		Dial: func(ctx context.Context) (chromedp.Transport, error) { return r.Extension.Dial(ctx, string(tabs)) },
	})
}

// Detach lets go of the browser of Attach and reports whether there was one. The next call that
// needs a browser uses the server's own.
func (r *Registry) Detach(ctx context.Context) (bool, error) { return r.own.Detach(ctx) }

// ErrSeveralBrowsers is the error of attaching a server that shares several browsers.
var ErrSeveralBrowsers = errors.New("this server shares several browsers (--cdp-endpoint) and attaches to no other")

// attachedBrowser is a browser that clients have attached to. They share its connection.
type attachedBrowser struct {
	browser *browser.Browser
	clients int
}

// acquireAttached returns the browser of a key, made at first use.
func (r *Registry) acquireAttached(key string, make func() *browser.Browser) *browser.Browser {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.attached[key]
	if a == nil {
		a = &attachedBrowser{browser: make()}
		r.attached[key] = a
	}
	a.clients++
	return a.browser
}

// releaseAttached ends a client's session in an attached browser, and the connection with the last
// one.
func (r *Registry) releaseAttached(ctx context.Context, used *browser.Browser, session string) error {
	used.EndSession(ctx, session)
	r.mu.Lock()
	last := false
	for key, a := range r.attached {
		if a.browser == used {
			if a.clients--; a.clients == 0 {
				last = true
				delete(r.attached, key)
			}
		}
	}
	r.mu.Unlock()
	if !last {
		return nil
	}
	return used.Close(ctx)
}
