package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
)

const page = `<!doctype html><title>Form</title><h1>Form</h1><label>Name <input name=name></label>
<button onclick="done.textContent='Saved'">Save</button><p id=done></p>`

var buttonRef = regexp.MustCompile(`\[?\b(e\d+)\b\]?.*"Save"|"Save".*\b(e\d+)\b`)

// client is a client of a server in this process, with a page to act on.
type client struct {
	session *mcp.ClientSession
	home    string
	end     []func() error // in reverse
}

func connect(ctx context.Context) (c *client, err error) {
	c = &client{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	dir, err := os.MkdirTemp("", "callpath-")
	if err != nil {
		return c, err
	}
	c.end = append(c.end, func() error { return os.RemoveAll(dir) })
	built, err := app.New(app.Config{
		Version: "callpath", Browser: browser.Config{Headless: true}, StateDir: filepath.Join(dir, "state"), OutputDir: filepath.Join(dir, "output"),
	})
	if err != nil {
		return c, err
	}
	c.end = append(c.end, func() error { return built.Close(context.WithoutCancel(ctx)) })
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page)
	}))
	c.home = site.URL
	c.end = append(c.end, func() error { site.Close(); return nil })
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() {
		_ = built.Server(built.Surface).ServeShared(ctx, app.StdioSession, fromClient, toClient)
	}()
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "callpath", Version: "1"}, nil).
		Connect(ctx, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err == nil {
		c.end = append(c.end, c.session.Close)
	}
	return c, err
}

func (c *client) close() (err error) {
	for i := len(c.end) - 1; i >= 0; i-- {
		err = errors.Join(err, c.end[i]())
	}
	return err
}

// prepare loads and reads the page anew, and returns the arguments of the next call.
func (c *client) prepare(ctx context.Context, arguments string) (map[string]any, error) {
	if err := c.call(ctx, "navigate", map[string]any{"url": c.home}); err != nil {
		return nil, err
	}
	reading, err := c.text(ctx, "read_page", nil)
	if err != nil {
		return nil, err
	}
	m := buttonRef.FindStringSubmatch(reading)
	if m == nil {
		return nil, fmt.Errorf("the reading has no button: %s", reading)
	}
	var out map[string]any
	err = json.Unmarshal([]byte(strings.ReplaceAll(arguments, "REF", m[1]+m[2])), &out)
	return out, err
}

func (c *client) call(ctx context.Context, tool string, args map[string]any) error {
	_, err := c.text(ctx, tool, args)
	return err
}

// text calls a tool that must succeed, and returns the text of its result.
func (c *client) text(ctx context.Context, tool string, args map[string]any) (string, error) {
	res, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", fmt.Errorf("call %s: %w", tool, err)
	}
	var b strings.Builder
	for _, part := range res.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	if res.IsError {
		return "", fmt.Errorf("%s is refused: %s", tool, b.String())
	}
	return b.String(), nil
}
