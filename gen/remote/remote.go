// Package remote reads what an MCP server offers: its tools, prompts, resources, resource templates,
// capabilities and instructions. The server is a command on stdio, a URL of streamable HTTP, or a JSON
// file that holds a list.
//
// It keeps each entry as the JSON text that the server sent, with the members in their order. It must
// not know what the lists are read for, nor what a manifest is.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

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
		words, err := splitWords(strings.TrimPrefix(text, stdioPrefix))
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

// Options are for servers; a file needs none of them.
type Options struct {
	Timeout time.Duration // of the whole reading; 0 is DefaultTimeout
	Header  http.Header   // sent to the host of the URL, and to no host that it redirects to
	Client  *http.Client  // nil is a client of its own
	Env     []string      // NAME=VALUE for the command, beside the environment of this process
	Dir     string        // the command's working directory; "" is that of this process
	Name    string        // the name that the server is given for this client; "" is toolgen
	Version string        // beside Name
}

// Server is everything that a server offers.
type Server = offered.Server

// Item is one entry of a list.
type Item = offered.Item

// Encode returns a file that Decode reads: one entry a line, so that a diff of two files names what
// changed.
func Encode(s *Server) ([]byte, error) {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("encode the server: %w", err)
	}
	members, err := objectMembers(plain.Bytes())
	if err != nil {
		return nil, fmt.Errorf("encode the server: %w", err)
	}
	var b bytes.Buffer
	b.WriteString("{")
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n  %q: ", m.name)
		writeRows(&b, m.value)
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

// writeRows writes an array with one entry a line, and any other value as it is.
func writeRows(b *bytes.Buffer, value json.RawMessage) {
	var rows []json.RawMessage
	if value[0] != '[' || json.Unmarshal(value, &rows) != nil || len(rows) == 0 {
		b.Write(value)
		return
	}
	b.WriteByte('[')
	for i, row := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(row)
	}
	b.WriteString("\n  ]")
}

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
	limited, cancel := context.WithTimeoutCause(ctx, opts.Timeout, fmt.Errorf("no complete answer within %s", opts.Timeout))
	defer cancel()
	read := readHTTP
	if len(src.Command) > 0 {
		read = readCommand
	}
	s, err := read(limited, src, opts)
	if err != nil {
		if limited.Err() != nil {
			err = fmt.Errorf("%w (%w)", context.Cause(limited), err)
		}
		return nil, fmt.Errorf("read %s: %w", src, err)
	}
	return s, nil
}
