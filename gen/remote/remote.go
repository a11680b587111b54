// Package remote connects to an MCP server and reads what it offers: its tools, prompts, resources, resource templates,
// capabilities and instructions. The server is a command on stdio, a URL of streamable HTTP, or a JSON
// file that holds a list.
//
// It keeps each entry as the JSON text that the server sent, with the members in their order. It must
// not know what the lists are read for, nor what a manifest is.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/gen/toolkit/offered"
)

// DefaultTimeout is the deadline of Read where Options has none. A server that npx has to download
// first needs most of it.
const DefaultTimeout = 2 * time.Minute

// Source is one place to read a server from. Exactly one field is set; Parse makes one of a command-line
// argument.
type Source struct {
	Command []string // a program that serves on stdio, and its arguments
	URL     string   // an endpoint of streamable HTTP
	File    string   // a path of a JSON file; Decode names the shapes
}

// stdioPrefix begins an argument that is a command line.
const stdioPrefix = "stdio:"

// Parse reads an argument: "stdio:COMMAND LINE", an http or https URL, or else the path of a file. A
// command line is split at spaces outside of quotes; no shell runs it.
func Parse(text string) (Source, error) {
	switch {
	case strings.HasPrefix(text, stdioPrefix):
		words, err := command.Split(strings.TrimPrefix(text, stdioPrefix))
		if err != nil {
			return Source{}, fmt.Errorf("read %q: %w", text, err)
		}
		if len(words) == 0 {
			return Source{}, fmt.Errorf("read %q: no command follows %q, as in \"stdio:npx -y PACKAGE@VERSION\"", text, stdioPrefix)
		}
		return Source{Command: words}, nil
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
		return Source{URL: text}, nil
	case text == "":
		return Source{}, fmt.Errorf("the source is empty; give a file, an http(s) URL or \"%sCOMMAND LINE\"", stdioPrefix)
	}
	return Source{File: text}, nil
}

// IsLive reports whether the source is a running server and not a file.
func (s Source) IsLive() bool { return s.File == "" }

// String names the source as Parse reads it.
func (s Source) String() string {
	switch {
	case len(s.Command) > 0:
		return stdioPrefix + strings.Join(s.Command, " ")
	case s.URL != "":
		return s.URL
	}
	return s.File
}

// Server is everything that a server offers.
type Server = offered.Server

// Item is one entry of a list.
type Item = offered.Item

// Read reads the source. An error names the source, and ends with what a server that died wrote to
// stderr. No process of a command is left when Read returns.
func Read(ctx context.Context, src Source, opts Options) (*Server, error) {
	if !src.IsLive() {
		data, err := os.ReadFile(src.File)
		if err != nil {
			return nil, fmt.Errorf("read a list: %w", err)
		}
		s, err := Decode(data)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", src, err)
		}
		return s, nil
	}
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, opts.Timeout, fmt.Errorf("no complete answer within %s", opts.Timeout))
	defer cancel()
	opts.isRead = true
	s, err := readLists(ctx, src, opts)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", context.Cause(ctx), err)
		}
		return nil, fmt.Errorf("read %s: %w", src, err)
	}
	return s, nil
}

// readLists connects, and reads the lists that the server announces.
func readLists(ctx context.Context, src Source, opts Options) (*Server, error) {
	c, err := Connect(ctx, src, opts)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()       // everything is read, or the error is already known
	defer context.AfterFunc(ctx, c.kill)() // a server that neither answers nor reads does not hold up its reader
	s := c.About
	if s.Capabilities == nil {
		s.Capabilities = json.RawMessage("{}")
	}
	var announced map[string]json.RawMessage
	if err := json.Unmarshal(s.Capabilities, &announced); err != nil {
		return nil, fmt.Errorf("read the capabilities: %w", err)
	}
	for _, l := range listsOf(&s) {
		*l.items = []Item{}
		if _, ok := announced[l.capability]; !ok {
			continue
		}
		rows, err := c.Pages(ctx, l.method, l.member)
		if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && refused.Code == jsonrpc.CodeMethodNotFound && l.method == "resources/templates/list" {
			continue // the capability covers both lists, and a server may have one of them
		}
		if err == nil {
			err = l.append(rows)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.method, c.quoting(err))
		}
	}
	return &s, nil
}
