package connection_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/callsheet/callsheet/internal/connection"
)

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	s := board(t).Set("client")
	silent := freePort(t)
	for name, c := range map[string]struct {
		do   func() error
		want any
	}{
		"remote host":    {func() error { return connect(ctx, s, connection.Attach{Host: "192.0.2.1", Port: 9222}) }, new(*connection.HostError)},
		"no port":        {func() error { return connect(ctx, s, connection.Attach{Port: 70000}) }, new(*connection.PortError)},
		"nobody answers": {func() error { return connect(ctx, s, connection.Attach{Port: silent}) }, new(*connection.NoAnswerError)},
		"bad name":       {func() error { return launch(ctx, s, connection.Launch{ID: "a b"}) }, new(*connection.BadIDError)},
		"program":        {func() error { return launch(ctx, s, connection.Launch{Args: []string{"--renderer-cmd-prefix=sh"}}) }, new(*connection.SwitchError)},
		"port switch":    {func() error { return launch(ctx, s, connection.Launch{Args: []string{"--remote-debugging-port=1"}}) }, new(*connection.SwitchError)},
		"sandbox":        {func() error { return launch(ctx, s, connection.Launch{Args: []string{"--no-sandbox"}}) }, new(*connection.SwitchError)},
		"no switch":      {func() error { return launch(ctx, s, connection.Launch{Args: []string{"http://x"}}) }, new(*connection.SwitchError)},
		"unknown":        {func() error { _, err := s.Switch(ctx, "x"); return err }, new(*connection.UnknownError)},
		"unknown end":    {func() error { _, err := s.Disconnect(ctx, "x"); return err }, new(*connection.UnknownError)},
	} {
		if err := c.do(); !errors.As(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	want(t, s, "(default*)")
}

func connect(ctx context.Context, s *connection.Set, a connection.Attach) error {
	_, err := s.Connect(ctx, a)
	return err
}

func launch(ctx context.Context, s *connection.Set, l connection.Launch) error {
	_, err := s.Launch(ctx, l)
	return err
}

// freePort finds a port on which nothing listens.
func freePort(t *testing.T) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().(*net.TCPAddr).Port
}
