package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
)

func TestCodesOfErrors(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	s := newRegistry(t).Set("client")
	silent := proctest.FreePort(t)
	for name, c := range map[string]struct {
		do   func() error
		want codes.Code
	}{
		"remote host": {func() error { return connect(ctx, s, session.AttachOptions{Host: "192.0.2.1", Port: 9222}) }, codes.PolicyDenied},
		"no port":     {func() error { return connect(ctx, s, session.AttachOptions{Port: 70000}) }, codes.InvalidArguments},
		"no browser":  {func() error { return connect(ctx, s, session.AttachOptions{Port: silent}) }, codes.NoBrowser},
		"bad name":    {func() error { return launch(ctx, s, session.LaunchOptions{ID: "a b"}) }, codes.InvalidArguments},
		"program":     {func() error { return launch(ctx, s, session.LaunchOptions{Args: []string{"--renderer-cmd-prefix=sh"}}) }, codes.PolicyDenied},
		"port switch": {func() error {
			return launch(ctx, s, session.LaunchOptions{Args: []string{"--remote-debugging-port=1"}})
		}, codes.PolicyDenied},
		"sandbox": {func() error { return launch(ctx, s, session.LaunchOptions{Args: []string{"--no-sandbox"}}) }, codes.PolicyDenied},
		"proxy":   {func() error { return launch(ctx, s, session.LaunchOptions{Args: []string{"--proxy-server=evil:1"}}) }, codes.PolicyDenied},
		"features": {func() error {
			return launch(ctx, s, session.LaunchOptions{Args: []string{"--disable-features=IsolateOrigins"}})
		}, codes.PolicyDenied},
		"no switch":   {func() error { return launch(ctx, s, session.LaunchOptions{Args: []string{"http://x"}}) }, codes.PolicyDenied},
		"unknown":     {func() error { _, err := s.Switch(ctx, "x"); return err }, codes.NotFound},
		"unknown end": {func() error { _, err := s.Disconnect(ctx, "x"); return err }, codes.NotFound},
	} {
		if err := c.do(); codeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantConnections(t, s, "(default*)")
}

func connect(ctx context.Context, s *session.Set, a session.AttachOptions) error {
	_, err := s.Connect(ctx, powertest.Network, a)
	return err
}

func launch(ctx context.Context, s *session.Set, l session.LaunchOptions) error {
	_, err := s.Launch(ctx, powertest.Process, l)
	return err
}

// codeOf returns the code of an error; "" where it has none.
func codeOf(err error) codes.Code {
	if coded, ok := errors.AsType[fault.Coded](err); ok {
		return coded.Code()
	}
	return ""
}
