package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/callsheet/callsheet/gen/lsp"
	"github.com/callsheet/callsheet/gen/lsp/wire"
)

const rootText = `version: 1
include: [tools/notes.yaml]
capabilities:
  core: {title: Core, description: Reading.}
  writing: {title: Writing, description: Changing notes.}
facts: {open: A notebook is open., locked: The notebook is locked.}
events: {opens: {when: "!open", sets: [open]}, locks: {when: open && !locked, sets: [locked]}, closes: {when: open, clears: [open, locked]}}
scenarios: {cold: [], warm: [open]}
scopes: {default: {status: open, since: "1"}}
`

const areaText = `tools:
  - name: read_note
    title: Read a note
    description: Returns the text of a note.
    capability: core
    scope: default
    tier: 1
    effects: {read_only: true, destructive: false, idempotent: true, open_world: false}
    visible: open && !locked
    input:
      title: {type: string}
      notebook: {type: string, required: true}
      format: {type: string, enum: [text, html]}
    require_when:
      - {when: {format: html}, all: [title]}
`

const entryText = `prompts:
  - name: write
    title: Write a note
    scope: default
    visible: always
resources:
  - name: note
    title: Note
    scope: default
    visible: always
    uriTemplate: note://{notebook}/{title}
`

const handlerText = `package notes

type Handlers struct{}

// ReadNote returns a note.
func (Handlers) ReadNote(in string) string { return in }

func ReadNote() {}

// WritePrompt asks for a note.
func (Handlers) WritePrompt() {}
`

// editor is a client of the server, over pipes.
type editor struct {
	t       *testing.T
	dir     string
	conn    *wire.Conn
	close   func()
	served  chan error
	replies chan wire.Message
	found   chan wire.Publish
	next    int
}

// newEditor starts a server and a client in a module of its own. It initializes the server.
func newEditor(t *testing.T) *editor {
	t.Helper()
	e := rawEditor(t)
	e.request("initialize", map[string]any{"capabilities": map[string]any{}}, nil)
	e.notify("initialized", map[string]any{})
	return e
}

func rawEditor(t *testing.T) *editor {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":                    "module example.com/notes\n",
		"manifest/tools.yaml":       rootText,
		"manifest/tools/notes.yaml": areaText,
		"tools/notes/notes.go":      handlerText,
	} {
		write(t, filepath.Join(dir, name), text)
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	e := &editor{
		t: t, dir: dir, conn: wire.NewConn(toClient, fromClient), close: func() { fromClient.Close() }, served: make(chan error, 1),
		replies: make(chan wire.Message, 100), found: make(chan wire.Publish, 1000),
	}
	go func() {
		e.served <- lsp.Serve(context.Background(), toServer, fromServer)
		fromServer.Close()
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		e.read()
	}()
	t.Cleanup(func() {
		fromClient.Close()
		<-read
	})
	return e
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// read sorts what the server sends until it ends.
func (e *editor) read() {
	for {
		m, err := e.conn.Read()
		if err != nil {
			return
		}
		switch m.Method {
		case "":
			e.replies <- m
		case "textDocument/publishDiagnostics":
			var p wire.Publish
			if json.Unmarshal(m.Params, &p) == nil {
				e.found <- p
			}
		}
	}
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	if err := e.conn.Notify(method, params); err != nil {
		e.t.Fatal(err)
	}
}

// call sends a request and returns the reply.
func (e *editor) call(method string, params any) wire.Message {
	e.t.Helper()
	e.next++
	id, _ := json.Marshal(e.next)
	data, err := json.Marshal(params)
	if err != nil {
		e.t.Fatal(err)
	}
	if err := e.conn.Write(wire.Message{ID: id, Method: method, Params: data}); err != nil {
		e.t.Fatal(err)
	}
	return e.reply(string(id))
}

func (e *editor) reply(id string) wire.Message {
	e.t.Helper()
	select {
	case m := <-e.replies:
		if string(m.ID) != id {
			e.t.Fatalf("a reply to %s in place of %s", m.ID, id)
		}
		return m
	case <-time.After(time.Minute):
		e.t.Fatalf("no reply to %s", id)
		return wire.Message{}
	}
}

// request sends a request that succeeds and decodes the result.
func (e *editor) request(method string, params, into any) {
	e.t.Helper()
	m := e.call(method, params)
	if m.Error != nil {
		e.t.Fatalf("%s: %v", method, m.Error)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(m.Result, into); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) uri(name string) string {
	return "file://" + filepath.ToSlash(filepath.Join(e.dir, name))
}

func (e *editor) open(name, text string) {
	e.t.Helper()
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "version": 1, "languageId": "yaml", "text": text}})
}

// set replaces the text of an open document.
func (e *editor) set(name, text string) {
	e.t.Helper()
	e.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": e.uri(name), "version": 2}, "contentChanges": []any{map[string]any{"text": text}}})
}

// diagnostics waits until the server publishes those of a file that satisfy a condition.
func (e *editor) diagnostics(name string, ok func([]wire.Diagnostic) bool) []wire.Diagnostic {
	e.t.Helper()
	var last []wire.Diagnostic
	limit := time.After(time.Minute)
	for {
		select {
		case p := <-e.found:
			if p.URI != e.uri(name) {
				continue
			}
			if last = p.Diagnostics; ok(last) {
				return last
			}
		case <-limit:
			e.t.Fatalf("%s: the server published %+v last", name, last)
		}
	}
}

func none(list []wire.Diagnostic) bool { return len(list) == 0 }

func rule(code string) func([]wire.Diagnostic) bool {
	return func(list []wire.Diagnostic) bool {
		return slices.ContainsFunc(list, func(d wire.Diagnostic) bool { return d.Code == code })
	}
}

// at is the parameters of a request about the position that a bar in the text shows; it replaces the text
// of the document by the one without the bar.
func (e *editor) at(name, text string) map[string]any {
	e.t.Helper()
	before, after, ok := strings.Cut(text, "¦")
	if !ok {
		e.t.Fatal("the text has no position")
	}
	e.set(name, before+after)
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return map[string]any{
		"textDocument": map[string]any{"uri": e.uri(name)},
		"position":     wire.Position{Line: strings.Count(before, "\n"), Character: len(utf16.Encode([]rune(line)))},
	}
}

// edited makes edits of one document, which come in the order of the text and do not overlap.
func edited(text string, edits []wire.TextEdit) string {
	slices.SortStableFunc(edits, func(a, b wire.TextEdit) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return b.Range.Start.Line - a.Range.Start.Line
		}
		return b.Range.Start.Character - a.Range.Start.Character
	})
	for _, e := range edits {
		text = text[:byteOf(text, e.Range.Start)] + e.NewText + text[byteOf(text, e.Range.End):]
	}
	return text
}

func byteOf(text string, p wire.Position) int {
	lines := strings.SplitAfter(text, "\n")
	at := 0
	for _, line := range lines[:p.Line] {
		at += len(line)
	}
	return at + len(string(utf16.Decode(utf16.Encode([]rune(lines[p.Line]))[:p.Character])))
}
