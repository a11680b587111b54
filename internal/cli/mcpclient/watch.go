package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/callsheet/callsheet/gen/toolkit/rawclient"
)

// ListedTool is an entry of a list of tools.
type ListedTool struct {
	Name  string
	Bytes int // of its definition
}

// Watch follows the list of tools of a session.
type Watch struct {
	Client, Version string // the caller's, for the server's log
	// Join is a tool that changes nothing and needs no arguments. A call of it makes the server follow the
	// session for this client.
	Join string
	Show func([]ListedTool) error
}

// Run shows the list, and shows it again after each notification that it has changed. It returns nil when
// ctx ends, and the error of Show. It closes the connection.
func (w Watch) Run(ctx context.Context, conn io.ReadWriteCloser) error {
	changed := make(chan struct{}, 1)
	client, err := newClient(conn, rawclient.Options{Notified: func(method string) {
		if method == "notifications/tools/list_changed" {
			select {
			case changed <- struct{}{}:
			default: // the next look sees this change too
			}
		}
	}})
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }() // nothing is sent any more
	err = w.follow(ctx, client, changed)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (w Watch) follow(ctx context.Context, client *rawclient.Client, changed <-chan struct{}) error {
	if _, err := client.Initialize(ctx, w.Client, w.Version); err != nil {
		return err
	}
	_, err := client.Request(ctx, "tools/call", map[string]any{"name": w.Join, "arguments": struct{}{}}, nil)
	if _, refused := errors.AsType[*jsonrpc.Error](err); refused {
		err = nil // a refusal joins too
	}
	for err == nil {
		var definitions []json.RawMessage
		if definitions, err = client.Pages(ctx, "tools/list", "tools"); err == nil {
			err = showList(definitions, w.Show)
		}
		if err != nil {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		case <-client.Ended():
			return client.Err()
		}
	}
	return err
}

func showList(definitions []json.RawMessage, show func([]ListedTool) error) error {
	var out []ListedTool
	for _, definition := range definitions {
		var t struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(definition, &t); err != nil {
			return fmt.Errorf("read the list: %w", err)
		}
		out = append(out, ListedTool{t.Name, len(definition)})
	}
	return show(out)
}
