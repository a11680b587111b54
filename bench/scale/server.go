package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/proctest"
)

const (
	startTime = 30 * time.Second      // for a server to listen
	startPoll = 50 * time.Millisecond // between two attempts to connect
	stopTime  = 20 * time.Second      // for a server to exit before it is killed
)

// server is a running MCP server.
type server struct {
	command  *exec.Cmd
	endpoint string
	stop     func()
}

// startServer runs a command line whose word N stands for a free port, and waits until it listens
// there.
func startServer(ctx context.Context, line string) (*server, error) {
	dir, err := os.MkdirTemp("", "scale-")
	if err != nil {
		return nil, err
	}
	port, err := proctest.FindPort()
	if err != nil {
		return nil, err
	}
	words := strings.Fields(line)
	for i, word := range words {
		if word == "N" || strings.HasSuffix(word, ":N") {
			words[i] = strings.TrimSuffix(word, "N") + strconv.Itoa(port)
		}
	}
	running, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(running, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTime
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	s := &server{command: cmd, endpoint: fmt.Sprintf("http://localhost:%d/mcp", port)}
	s.stop = func() {
		cancel()
		_ = cmd.Wait() // it was interrupted
		_ = os.RemoveAll(dir)
	}
	if err := waitForPort(ctx, port); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// waitForPort connects until something listens.
func waitForPort(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return conn.Close()
		}
		select {
		case <-time.After(startPoll):
		case <-ctx.Done():
			return fmt.Errorf("the server does not listen: %w", err)
		}
	}
}
