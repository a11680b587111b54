package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/callsheet/callsheet/bench/stdio"
)

// client counts what the calls to a server cost.
type client struct {
	*stdio.Server

	calls, bytes int
	time         time.Duration
}

func start(ctx context.Context, command string) (*client, error) {
	server, err := stdio.Start(ctx, command, stdio.Options{})
	return &client{Server: server}, err
}

func (c *client) reset() { c.calls, c.bytes, c.time = 0, 0, 0 }

// call calls a tool and returns its text. A refusal is an error.
func (c *client) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	begun := time.Now()
	text, refused, err := c.Call(ctx, tool, args)
	c.time += time.Since(begun)
	if err != nil {
		return "", err
	}
	c.calls++
	c.bytes += len(text)
	if refused || strings.HasPrefix(text, "Error:") {
		return text, errors.New(tool + ": " + text)
	}
	return text, nil
}
