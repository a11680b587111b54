// Package lsp is a language server for manifests: it tells an editor what is wrong while a manifest is
// typed, completes keys and names, explains both, finds handlers, and renames tools.
//
// It asks package gen about the texts that the editor has, saved or not. It must not know how a manifest
// is compiled, nor write a file: edits are answers for the editor to make.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/lsp/wire"
)

// ErrNoShutdown says that the client ended the server without asking it to shut down.
var ErrNoShutdown = errors.New("the client exited without shutdown")

// quiet is how long nothing is typed before the module is checked with its code and documents.
const quiet = 400 * time.Millisecond

// Server serves one client. Serve may be called once.
type Server struct {
	conn    *wire.Conn
	modules map[manifest]*module
	state   lifecycle
	work    sync.WaitGroup
}

// lifecycle is how far the client has come.
type lifecycle int

const (
	created lifecycle = iota
	initialized
	shutDown
)

// Serve answers the client on the two streams until it exits, closes its stream, or ctx is done. The error
// is nil after shutdown and exit.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &Server{conn: wire.NewConn(in, out), modules: map[manifest]*module{}}
	defer s.work.Wait()
	defer cancel()
	for {
		m, err := s.conn.Read()
		var malformed *wire.Error
		if errors.As(err, &malformed) {
			if err := s.conn.Reply(m.ID, nil, malformed); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return s.ended(err)
		}
		if m.Method == "exit" {
			return s.ended(io.EOF)
		}
		if err := s.receive(ctx, m); err != nil {
			return err
		}
	}
}

// ended returns why the connection is over: nil where the client had asked for it.
func (s *Server) ended(err error) error {
	if s.state == shutDown && errors.Is(err, io.EOF) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return ErrNoShutdown
	}
	return err
}

// receive handles one message and answers it where it is a request. The error is that of the stream.
func (s *Server) receive(ctx context.Context, m wire.Message) error {
	if m.Method == "" {
		return nil // a response; the server asks the client nothing
	}
	result, err := s.handle(ctx, m)
	if m.ID == nil {
		return nil // a notification has no answer, whatever came of it
	}
	return s.conn.Reply(m.ID, result, err)
}

// handle runs the handler of a method. A panic of it fails the request and not the server.
func (s *Server) handle(ctx context.Context, m wire.Message) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, wire.Errorf(wire.InternalError, "%s failed: %v\n%s", m.Method, p, debug.Stack())
		}
	}()
	switch {
	case m.Method == "initialize":
		s.state = initialized
		return capabilities(), nil
	case s.state == created:
		return nil, wire.Errorf(wire.ServerNotInitialized, "%s before initialize", m.Method)
	case m.Method == "shutdown":
		s.state = shutDown
		return nil, nil
	case s.state == shutDown:
		return nil, wire.Errorf(wire.InvalidRequest, "%s after shutdown", m.Method)
	}
	if known, err := s.notified(ctx, m); known {
		return nil, err
	}
	return s.answer(m)
}

// notified handles notifications about documents; false where the message is no such notification.
func (s *Server) notified(ctx context.Context, m wire.Message) (bool, error) {
	switch m.Method {
	case "textDocument/didOpen":
		return true, with(m, func(p wire.DocumentParams) error { return s.open(ctx, p.TextDocument) })
	case "textDocument/didChange":
		return true, with(m, s.change)
	case "textDocument/didSave":
		return true, with(m, func(p wire.DocumentParams) error { return s.saved(p.TextDocument.URI) })
	case "textDocument/didClose":
		return true, with(m, func(p wire.DocumentParams) error { return s.close(p.TextDocument.URI) })
	}
	return false, nil
}

// answer answers a request about a document. One that the server does not serve is answered with null.
func (s *Server) answer(m wire.Message) (any, error) {
	switch m.Method {
	case "textDocument/completion":
		return about(s, m, (*document).complete)
	case "textDocument/hover":
		return about(s, m, (*document).hover)
	case "textDocument/definition":
		return about(s, m, (*document).definition)
	case "textDocument/prepareRename":
		return about(s, m, (*document).prepareRename)
	case "textDocument/rename":
		return about(s, m, (*document).rename)
	case "textDocument/documentSymbol":
		return about(s, m, (*document).symbols)
	case "textDocument/codeAction":
		var p wire.CodeActionParams
		if err := decode(m, &p); err != nil {
			return nil, err
		}
		if doc := s.document(p.TextDocument.URI); doc != nil {
			return doc.actions(p), nil
		}
		return nil, nil
	}
	return nil, wire.Errorf(wire.MethodNotFound, "this server has no method %q", m.Method)
}

// about runs a handler that asks about a place of a document.
func about[Result any](s *Server, m wire.Message, handler func(*document, wire.PositionParams) (Result, error)) (any, error) {
	var p wire.PositionParams
	if err := decode(m, &p); err != nil {
		return nil, err
	}
	doc := s.document(p.TextDocument.URI)
	if doc == nil {
		return nil, nil
	}
	return handler(doc, p)
}

func with[Params any](m wire.Message, handler func(Params) error) error {
	var p Params
	if err := decode(m, &p); err != nil {
		return err
	}
	return handler(p)
}

func decode(m wire.Message, into any) error {
	if err := json.Unmarshal(m.Params, into); err != nil {
		return wire.Errorf(wire.InvalidParams, "the parameters of %s: %v", m.Method, err)
	}
	return nil
}

// capabilities is the answer to initialize. 2 is incremental synchronisation.
func capabilities() any {
	type object = map[string]any
	return object{
		"serverInfo": object{"name": "toolgen"},
		"capabilities": object{
			"positionEncoding":       "utf-16",
			"textDocumentSync":       object{"openClose": true, "change": 2, "save": true},
			"completionProvider":     object{"triggerCharacters": []string{" ", "{", "[", ",", "&", "|", "!"}},
			"hoverProvider":          true,
			"definitionProvider":     true,
			"documentSymbolProvider": true,
			"renameProvider":         object{"prepareProvider": true},
			"codeActionProvider":     object{"codeActionKinds": []string{"quickfix"}},
		},
	}
}

// log tells the person behind the editor about a failure that belongs to no text.
func (s *Server) log(err error) {
	_ = s.conn.Notify("window/logMessage", map[string]any{"type": wire.SeverityError, "message": fmt.Sprintf("toolgen: %v", err)})
}
