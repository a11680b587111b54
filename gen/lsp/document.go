package lsp

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/lsp/place"
	"github.com/callsheet/callsheet/gen/lsp/wire"
)

// buffer is the text of a document that the editor has open.
type buffer struct {
	uri     string
	version int
	text    string
}

// document is an open document of a module, as one request sees it.
type document struct {
	module *module
	name   string // slash-separated, relative to the module
	uri    string
	lines  []string
}

// pathOf returns the file of a URI; false where it is no local file.
func pathOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), true
}

// uriOf returns the URI of a file.
func uriOf(path string) string {
	slash := filepath.ToSlash(path)
	if !strings.HasPrefix(slash, "/") {
		slash = "/" + slash
	}
	return (&url.URL{Scheme: "file", Path: slash}).String()
}

// manifest is a manifest of a module: the module's root directory, and the root file in it.
type manifest struct{ root, file string }

// locate returns the manifest that a file belongs to, and the file's name in the module. It is false for
// any other file, which the server leaves alone. Where the settings have an error no file belongs to a
// manifest.
func locate(uri string) (m manifest, name string, ok bool) {
	path, ok := pathOf(uri)
	if !ok || filepath.Ext(path) != ".yaml" {
		return manifest{}, "", false
	}
	root, err := gen.FindModule(filepath.Dir(path))
	if err != nil {
		return manifest{}, "", false
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return manifest{}, "", false
	}
	name = filepath.ToSlash(rel)
	layouts, _, _, err := gen.ReadSettings(root)
	if err != nil {
		return manifest{}, "", false
	}
	for _, l := range layouts {
		if l.IsManifest(name) {
			return manifest{root, l.Manifest}, name, true
		}
	}
	return manifest{}, "", false
}

func (s *Server) open(ctx context.Context, doc wire.TextDocument) error {
	of, name, ok := locate(doc.URI)
	if !ok {
		return nil
	}
	m := s.modules[of]
	if m == nil {
		var err error
		if m, err = newModule(of, s.conn, s.log); err != nil {
			s.log(err)
			return nil
		}
		s.modules[of] = m
		s.work.Go(func() { m.run(ctx) })
	}
	m.setText(name, buffer{uri: doc.URI, version: doc.Version, text: doc.Text})
	return nil
}

func (s *Server) change(p wire.DidChange) error {
	of, name, ok := locate(p.TextDocument.URI)
	m := s.modules[of]
	if !ok || m == nil {
		return nil
	}
	b, open := m.buffer(name)
	if !open {
		return fmt.Errorf("%s is not open", name)
	}
	for _, c := range p.ContentChanges {
		b.text = apply(b.text, c)
	}
	b.version = p.TextDocument.Version
	m.setText(name, b)
	return nil
}

func (s *Server) saved(uri string) error {
	if of, _, ok := locate(uri); ok && s.modules[of] != nil {
		s.modules[of].touch()
	}
	return nil
}

func (s *Server) close(uri string) error {
	if of, name, ok := locate(uri); ok && s.modules[of] != nil {
		s.modules[of].forget(name)
	}
	return nil
}

// document returns an open document; nil where the server does not serve it.
func (s *Server) document(uri string) *document {
	of, name, ok := locate(uri)
	m := s.modules[of]
	if !ok || m == nil {
		return nil
	}
	b, open := m.buffer(name)
	if !open {
		return nil
	}
	return &document{module: m, name: name, uri: b.uri, lines: strings.Split(b.text, "\n")}
}

// apply makes one change of a text. A range outside the text is moved to its end.
func apply(text string, c wire.Change) string {
	if c.Range == nil {
		return c.Text
	}
	start, end := offset(text, c.Range.Start), offset(text, c.Range.End)
	return text[:start] + c.Text + text[max(start, end):]
}

// offset returns the byte of a text at a position.
func offset(text string, p wire.Position) int {
	at := 0
	for range p.Line {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	line, _, _ := strings.Cut(text[at:], "\n")
	return at + byteAt(line, p.Character)
}

// byteAt returns the byte of a line at a number of UTF-16 units, at most its end.
func byteAt(line string, units int) int {
	for i, r := range line {
		if units <= 0 {
			return i
		}
		units -= width(r)
	}
	return len(line)
}

// unitsAt returns the number of UTF-16 units before a byte of a line.
func unitsAt(line string, at int) int {
	units := 0
	for _, r := range line[:min(max(at, 0), len(line))] {
		units += width(r)
	}
	return units
}

func width(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// rangeOf converts a place of the compiler, which counts characters from 1.
func rangeOf(lines []string, at diag.Pos) wire.Range {
	if at.Line < 1 || at.Line > len(lines) {
		return wire.Range{}
	}
	line := strings.TrimSuffix(lines[at.Line-1], "\r")
	start := runes(line, at.Col-1)
	end := runes(line, at.Col-1+max(at.Len, 1))
	return wire.Range{
		Start: wire.Position{Line: at.Line - 1, Character: unitsAt(line, start)},
		End:   wire.Position{Line: at.Line - 1, Character: unitsAt(line, end)},
	}
}

// runes returns the byte at which n characters of a line have passed.
func runes(line string, n int) int {
	at := 0
	for ; n > 0 && at < len(line); n-- {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// at finds the place of a position.
func (d *document) at(p wire.Position) place.Place {
	if p.Line < 0 || p.Line >= len(d.lines) {
		return place.Place{}
	}
	return place.At(d.lines, p.Line, byteAt(strings.TrimSuffix(d.lines[p.Line], "\r"), p.Character))
}

// wordRange is the range of the word of a place.
func (d *document) wordRange(line int, p place.Place) wire.Range {
	text := d.lines[line]
	return wire.Range{
		Start: wire.Position{Line: line, Character: unitsAt(text, p.Start)},
		End:   wire.Position{Line: line, Character: unitsAt(text, p.End)},
	}
}

// holds reports whether a range of one line holds a position, its end included.
func holds(r wire.Range, p wire.Position) bool {
	return r.Start.Line == p.Line && r.Start.Character <= p.Character && p.Character <= r.End.Character
}
