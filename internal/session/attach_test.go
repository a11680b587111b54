package session_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/running"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
)

// TestClientsShareAnAttachedBrowser has two clients attach to one browser: each sees the tabs that it
// opened, and the browser keeps those that were there.
func TestClientsShareAnAttachedBrowser(t *testing.T) {
	t.Parallel()
	ctx, port := deadline(t), proctest.FreePort(t)
	owner, err := newRegistry(t).Set("owner").Launch(ctx, powertest.Process, session.LaunchOptions{Port: port})
	if err != nil {
		t.Fatal(err)
	}
	clients := newRegistry(t)
	var sessions []*browser.Session
	for _, id := range []string{"one", "two"} {
		c, err := clients.Set(id).Connect(ctx, powertest.Network, session.AttachOptions{Port: port})
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, c.Session())
	}
	for i, s := range sessions {
		targets, err := s.Targets(ctx)
		if err != nil || len(targets) != 1 || targets[0].Tab != s.TabIDs()[0] {
			t.Errorf("client %d sees %+v, %v", i, targets, err)
		}
	}
	theirs, err := owner.Session().Targets(ctx)
	if err != nil || len(theirs) != 3 {
		t.Fatalf("the owner sees %+v, %v", theirs, err)
	}
	for _, target := range theirs {
		if _, err := sessions[0].Adopt(ctx, target.ID); target.Tab != "" && codeOf(err) != codes.PolicyDenied {
			t.Errorf("adopt %s of the owner: %v", target.Tab, err)
		}
	}
	if _, err := clients.Set("one").Disconnect(ctx, clients.Set("one").List(ctx)[1].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := sessions[1].OpenBlank(ctx, powertest.Window); err != nil {
		t.Errorf("the other client: %v", err)
	}
	if theirs, err = owner.Session().Targets(ctx); err != nil || len(theirs) != 3 {
		t.Errorf("after one client left: %+v, %v", theirs, err)
	}
}

// TestChooseError says what a person can do.
func TestChooseError(t *testing.T) {
	t.Parallel()
	allowed := running.Browser{Product: "Chromium", Dir: "/a", Address: "ws://127.0.0.1:1/devtools/browser/x", Port: 1}
	for _, row := range []struct {
		err  session.ChooseError
		want string
		code codes.Code
	}{
		{session.ChooseError{}, "start it, then open chrome://inspect/#remote-debugging", codes.NoBrowser},
		{session.ChooseError{Dir: "/p"}, "no browser runs with the profile /p", codes.NoBrowser},
		{session.ChooseError{Found: []running.Browser{{Product: "Chromium", Version: "150", Dir: "/p"}}}, "Chromium 150 (/p) runs, but its person has not allowed", codes.NoBrowser},
		{session.ChooseError{Found: []running.Browser{allowed, allowed}}, "choose one by its port: Chromium at port 1 (/a); ", codes.Ambiguous},
	} {
		if got := row.err.Error(); !strings.Contains(got, row.want) || row.err.Code() != row.code {
			t.Errorf("%s %q lacks %q", row.err.Code(), got, row.want)
		}
	}
	var _ fault.Coded = (*session.ChooseError)(nil)
}
