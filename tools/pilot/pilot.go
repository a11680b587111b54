// Package pilot implements the tools of area pilot, which are tried out and off unless the operator
// asks for them: handing a login over, a proxy for the contexts of a client, and plans that are
// tried again until a contract passes.
//
// It turns parameters into questions to the engine; it must not know how tokens are kept, how
// contexts are made or how plans are played.
package pilot

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/generated/toolset/pilotapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/handoff"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/script"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/session/storagestate"
	"github.com/callsheet/callsheet/internal/storage/database"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions  session.Lookup
	own       *browser.Browser
	handoffs  *handoff.Store
	shelf     *script.Store
	exemplars *live.Exemplars
	redact    func(string) string
}

// New makes the handlers; own is the browser whose contexts get proxies, handoffs and plans are
// kept in db, and contracts see what redact leaves (nil: everything).
func New(sessions session.Lookup, own *browser.Browser, db *database.Store, exemplars *live.Exemplars, redact func(string) string) *Tools {
	if redact == nil {
		redact = func(text string) string { return text }
	}
	return &Tools{sessions: sessions, own: own, handoffs: handoff.New(db), shelf: script.NewStore(db), exemplars: exemplars, redact: redact}
}

var _ pilotapi.Handlers = (*Tools)(nil)

// OcPilotHandoffCreate makes a token of what the tab's origin knows the browser by.
func (t *Tools) OcPilotHandoffCreate(ctx context.Context, call *toolkit.Call, in pilotapi.OcPilotHandoffCreateParams, powers pilotapi.OcPilotHandoffCreatePowers) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	if in.Origin.Set {
		wanted, err := identity.Origin(in.Origin.Value)
		if err != nil {
			return toolkit.Result{}, toolkit.Violations{{Path: "/origin", Problem: "expected an origin such as https://example.com"}}
		}
		if err := storagestate.CheckOrigin(tab, identity.Context{Origin: wanted}); err != nil {
			return toolkit.Result{}, err
		}
	}
	now, err := storagestate.Capture(ctx, powers.Storage(), tab, true)
	if err != nil {
		return toolkit.Result{}, err
	}
	token, expires, err := t.handoffs.Create(ctx, powers.Secret(), now, time.Duration(in.TtlMs)*time.Millisecond)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("token %s\nfor %s: cookies %d, storage keys %d; works once, until %s, in a session of this state directory",
		token, now.Origin, len(now.Cookies), len(now.Local)+len(now.Session), expires.UTC().Format(time.RFC3339)), nil
}

// OcPilotHandoffRedeem spends a token on a tab. A tab of another origin spends nothing.
func (t *Tools) OcPilotHandoffRedeem(ctx context.Context, call *toolkit.Call, in pilotapi.OcPilotHandoffRedeemParams, powers pilotapi.OcPilotHandoffRedeemPowers) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	carried, err := t.handoffs.Redeem(ctx, powers.Secret(), in.Token, func(c identity.Context) error { return storagestate.CheckOrigin(tab, c) })
	if err != nil {
		return toolkit.Result{}, err
	}
	if err := storagestate.Replace(ctx, powers.Storage(), tab, carried); err != nil {
		return toolkit.Result{}, fmt.Errorf("the token is spent, but its login could not be written: %w", err)
	}
	return toolkit.Textf("%s: cookies %d, storage keys %d; reload to use them", carried.Origin, len(carried.Cookies), len(carried.Local)+len(carried.Session)), nil
}

// OcProxyHook sets, ends or tells the proxy of the contexts that the client opens.
func (t *Tools) OcProxyHook(_ context.Context, call *toolkit.Call, in pilotapi.OcProxyHookParams, powers pilotapi.OcProxyHookPowers) (toolkit.Result, error) {
	client := t.sessions.Set(call).ID()
	switch in.Action {
	case pilotapi.OcProxyHookActionSet:
		server, err := proxyServer(in.ProxyURL.Value)
		if err != nil {
			return toolkit.Result{}, err
		}
		if err := t.own.SetProxy(powers.Network(), client, server); err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Text(t.proxyReport(call, "proxy "+server)), nil
	case pilotapi.OcProxyHookActionClear:
		if !t.own.ClearProxy(client) {
			return toolkit.Text("no proxy was set"), nil
		}
		return toolkit.Text("no proxy for contexts opened from now on; those that are open keep theirs"), nil
	case pilotapi.OcProxyHookActionStatus:
	}
	if server := t.own.Proxy(client); server != "" {
		return toolkit.Text(t.proxyReport(call, "proxy "+server)), nil
	}
	return toolkit.Text("no proxy"), nil
}

// proxyReport describes the use of a proxy, which depends on the contexts that can still be opened.
func (t *Tools) proxyReport(call *toolkit.Call, text string) string {
	text += " for contexts opened from now on; those that are open keep theirs"
	if call.Session.Surface().Allows(toolset.ToolWorker) {
		text += "; " + toolset.ToolWorker + " opens one"
	}
	return text
}

// proxyServer is a proxy's address as Chromium takes it. One with credentials is refused, without
// repeating them: the browser would leave them out and be asked for them.
func proxyServer(text string) (string, error) {
	bad := func(problem string) error {
		return toolkit.Violations{{Path: "/proxyUrl", Problem: problem, Hint: "such as http://127.0.0.1:8080"}}
	}
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || u.Hostname() == "":
		return "", bad("expected scheme://host:port")
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks4" && u.Scheme != "socks5":
		return "", bad("the scheme is http, https, socks4 or socks5")
	case u.User != nil:
		return "", bad("the browser takes no credentials in a proxy's address; use a proxy that asks for none, such as one on this machine that adds them")
	case u.Port() == "":
		return "", bad("the port is missing")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "", bad("a proxy has a host and a port only")
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), u.Port()), nil
}
