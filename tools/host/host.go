// Package host implements the tools of area host: ending what runs, tidying up after servers that
// died, looking for what is wrong, and reaching the person at this machine.
//
// It renders results, which never hold a token.
package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/generated/toolset/hostapi"
	"github.com/callsheet/callsheet/internal/cli/desktop"
	"github.com/callsheet/callsheet/internal/cli/doctor"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/text"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	own      *browser.Browser
	subject  doctor.Subject
	reach    Reach
}

// New makes the handlers. Own is the server's browser, which subject describes.
func New(sessions session.Lookup, own *browser.Browser, subject doctor.Subject, reach Reach) *Tools {
	return &Tools{sessions: sessions, own: own, subject: subject, reach: reach}
}

var _ hostapi.Handlers = (*Tools)(nil)

// OcStop closes the client's tabs and connections, and its browsers unless they are to be kept.
func (t *Tools) OcStop(ctx context.Context, call *toolkit.Call, in hostapi.OcStopParams) (toolkit.Result, error) {
	begun := time.Now()
	s, err := t.sessions.Set(call).Stop(ctx, in.KeepChrome)
	if err != nil {
		return toolkit.Result{}, err
	}
	message := fmt.Sprintf("closed %s of %s", text.Count(s.Tabs, "tab"), text.Count(s.Connections, "connection"))
	switch attached := t.own.Status().Profile == browser.AttachedProfile; {
	case s.OwnEnded && attached:
		message += "; left the browser, which goes on"
	case s.OwnEnded:
		message += "; ended the browser, and the next call that needs one starts it"
	case in.KeepChrome && s.OwnWasRunning:
		message += "; the browser goes on"
	case s.OwnInUse:
		message += "; the browser goes on, as others use it"
	default:
		message += "; no browser ran"
	}
	return toolkit.Textf("%s (%d ms)", message, time.Since(begun).Milliseconds()), nil
}

// OcReapOrphans kills the browsers of servers that died.
func (t *Tools) OcReapOrphans(_ context.Context, _ *toolkit.Call, _ hostapi.OcReapOrphansParams, powers hostapi.OcReapOrphansPowers) (toolkit.Result, error) {
	killed, removed, err := chromium.Reap(powers.Process())
	if err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, err.Error())
	}
	if killed+removed == 0 {
		return toolkit.Text("nothing was left behind"), nil
	}
	return toolkit.Textf("killed %s, removed %s", text.Count(killed, "browser"), text.Count(removed, "abandoned profile")), nil
}

// OcDevtoolsURL tells where a person can look into a tab.
func (t *Tools) OcDevtoolsURL(ctx context.Context, call *toolkit.Call, in hostapi.OcDevtoolsURLParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	address := tab.DevToolsURL()
	if address == "" {
		message := "the browser of tab " + tab.ID() + " listens on no port; one that does is started with --cdp-endpoint by the operator"
		if call.Session.Surface().Allows(toolset.ToolChromeLaunch) {
			message += ", or by " + toolset.ToolChromeLaunch + " with debug_port where the operator allows it (--allow-debug-port)"
		}
		return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, message)
	}
	return toolkit.Textf("%s %s", tab.ID(), address), nil
}

// OcDoctorReport runs the checks that start nothing.
func (t *Tools) OcDoctorReport(ctx context.Context, _ *toolkit.Call, _ hostapi.OcDoctorReportParams) (toolkit.Result, error) {
	subject := t.subject
	subject.OwnPID = t.own.Status().PID // it may have the profile open
	found := doctor.Examine(ctx, subject, false, nil)
	if err := ctx.Err(); err != nil {
		return toolkit.Result{}, err
	}
	lines := slicesx.List(found, func(f doctor.Finding) string { return f.Text() })
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// OcCopyToClipboard puts text on the clipboard of the person at this machine.
func (t *Tools) OcCopyToClipboard(ctx context.Context, _ *toolkit.Call, in hostapi.OcCopyToClipboardParams, powers hostapi.OcCopyToClipboardPowers) (toolkit.Result, error) {
	if _, err := desktop.Copy(ctx, powers.Clipboard(), in.Text); err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, err.Error())
	}
	return toolkit.Textf("copied %s", text.Count(len([]rune(in.Text)), "character")), nil
}

// OcOpenHostSettings shows a host's settings to the person, or tells where they are.
func (t *Tools) OcOpenHostSettings(ctx context.Context, _ *toolkit.Call, in hostapi.OcOpenHostSettingsParams, powers hostapi.OcOpenHostSettingsPowers) (toolkit.Result, error) {
	address := settings(string(in.Host))
	_, err := desktop.Open(ctx, powers.Process(), address)
	if missing, none := errors.AsType[*desktop.MissingError](err); none {
		return toolkit.Textf("%s; %s: %s", missing.What, missing.Remedy, address), nil
	}
	if err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, fmt.Sprintf("%v; the address is %s", err, address))
	}
	return toolkit.Textf("opened %s", address), nil
}
