package mcpclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ListedTool is an entry of a list of tools.
type ListedTool struct {
	Name  string
	Bytes int // of its definition
}

// sessionVersion is the last revision whose sessions get notifications of changed lists.
const sessionVersion = "2025-11-25"

// The ids of the first two requests.
const (
	initializeID = "1"
	joinID       = "2"
)

// Watch follows the list of tools of a session.
type Watch struct {
	Client, Version string // the caller's, for the server's log
	// Join is a tool that changes nothing and needs no arguments. A call of it makes the server follow the
	// session for this client.
	Join string
	Show func([]ListedTool) error
}

// Run shows the list, and shows it again after each notification that it has changed. It returns nil when
// ctx ends, and the error of Show.
func (w Watch) Run(ctx context.Context, conn io.ReadWriteCloser) error {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends the reading
	id := 1
	request := func(method string, params any) error {
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err == nil {
			_, err = conn.Write(append(line, '\n'))
		}
		id++
		return err
	}
	err := request("initialize", map[string]any{
		"protocolVersion": sessionVersion, "capabilities": struct{}{}, "clientInfo": map[string]string{"name": w.Client, "version": w.Version},
	})
	in := bufio.NewReaderSize(conn, 64<<10)
	for err == nil {
		var m message
		if m, err = readMessage(in); err != nil {
			break
		}
		switch {
		case string(m.ID) == joinID: // a refusal joins too
		case m.Error != nil:
			err = m.Error
		case m.Method == "notifications/tools/list_changed":
			err = request("tools/list", struct{}{})
		case m.Result != nil && string(m.ID) == initializeID:
			if _, err = io.WriteString(conn, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err == nil {
				err = errors.Join(request("tools/call", map[string]any{"name": w.Join, "arguments": struct{}{}}), request("tools/list", struct{}{}))
			}
		case m.Result != nil:
			err = showList(m.Result, w.Show)
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func readMessage(in *bufio.Reader) (message, error) {
	var m message
	line, err := in.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err != nil {
		return m, fmt.Errorf("wait for changes: %w", err)
	}
	return m, nil
}

func showList(raw json.RawMessage, show func([]ListedTool) error) error {
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("read the list: %w", err)
	}
	var out []ListedTool
	for _, definition := range list.Tools {
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
