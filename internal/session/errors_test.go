package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
)

func TestTypedErrors(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	s := newRegistry(t).Set("client")
	silent := proctest.FreePort(t)
	for name, c := range map[string]struct {
		do   func() error
		want any
	}{
		"remote host": {func() error { return connect(ctx, s, session.AttachOptions{Host: "192.0.2.1", Port: 9222}) }, new(*session.HostError)},
		"no port":     {func() error { return connect(ctx, s, session.AttachOptions{Port: 70000}) }, new(*session.PortError)},
		"no browser":  {func() error { return connect(ctx, s, session.AttachOptions{Port: silent}) }, new(*session.UnreachableError)},
		"bad name":    {func() error { return launch(ctx, s, session.LaunchOptions{ID: "a b"}) }, new(*session.InvalidIDError)},
		"program":     {func() error { return launch(ctx, s, session.LaunchOptions{Args: []string{"--renderer-cmd-prefix=sh"}}) }, new(*session.SwitchError)},
		"port switch": {func() error {
			return launch(ctx, s, session.LaunchOptions{Args: []string{"--remote-debugging-port=1"}})
		}, new(*session.SwitchError)},
		"sandbox": {func() error { return launch(ctx, s, session.LaunchOptions{Args: []string{"--no-sandbox"}}) }, new(*session.SwitchError)},
		"proxy":   {func() error { return launch(ctx, s, session.LaunchOptions{Args: []string{"--proxy-server=evil:1"}}) }, new(*session.SwitchError)},
		"features": {func() error {
			return launch(ctx, s, session.LaunchOptions{Args: []string{"--disable-features=IsolateOrigins"}})
		}, new(*session.SwitchError)},
		"no switch":   {func() error { return launch(ctx, s, session.LaunchOptions{Args: []string{"http://x"}}) }, new(*session.SwitchError)},
		"unknown":     {func() error { _, err := s.Switch(ctx, "x"); return err }, new(*session.UnknownError)},
		"unknown end": {func() error { _, err := s.Disconnect(ctx, "x"); return err }, new(*session.UnknownError)},
	} {
		if err := c.do(); !errors.As(err, c.want) {
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
