package debugger

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"

	"github.com/callsheet/callsheet/internal/engine/debugger/sourcemap"
	"github.com/callsheet/callsheet/internal/text"
)

// internalScriptPrefix begins the URLs of Callsheet's scripts in pages, which the debugger ignores.
const internalScriptPrefix = "callsheet:"

// Location is a location in a script, or in its original file if a source map has it.
type Location struct {
	URL    string // URL of the script or original file; "" for code without one
	Line   int    // 1-based
	Column int    // 1-based, in UTF-16 code units
	// Generated is the location in the generated script if URL is an original file.
	Generated *Location
}

// String returns path, line and column: "/js/app.js:12:5". Breakpoint patterns accept this path.
func (l Location) String() string {
	name := l.URL
	if u, err := url.Parse(l.URL); err == nil && u.Host != "" && u.Path != "" {
		name = u.Path
	}
	switch {
	case name == "":
		name = "(code without an address)"
	case len(name) > 80:
		name = "…/" + path.Base(name)
		name = text.ClipBytes(name, 80)
	}
	return fmt.Sprintf("%s:%d:%d", name, l.Line, l.Column)
}

func formatPlace(function string, l Location) string {
	if function == "" {
		return l.String()
	}
	return l.String() + " in " + function
}

// script is a script that the page has parsed.
type script struct {
	id     cdp.ScriptID
	url    string
	mapURL string
	frame  cdp.FrameID
	// start is the position of the script in its document: not 0:0 for an inline script.
	start sourcemap.Position

	mu        sync.Mutex // held during loading
	lines     []string   // nil until loaded
	mapTried  bool       // the map was loaded or loading failed
	sourceMap *sourcemap.Map
}

// scripts holds the scripts of the current document and its same-process frames.
type scripts struct {
	session cdp.Session

	mu    sync.Mutex
	frame cdp.FrameID // main frame
	page  string      // its URL
	byID  map[cdp.ScriptID]*script
}

// reset drops the scripts of the previous document.
func (s *scripts) reset(frame cdp.FrameID, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if frame == s.frame && address == s.page && s.byID == nil {
		return
	}
	if s.page != "" {
		s.byID = nil
	}
	s.frame, s.page = frame, address
}

func (s *scripts) add(n *script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = make(map[cdp.ScriptID]*script)
	}
	s.byID[n.id] = n
}

// get returns the script with the id, or an empty one with that id.
func (s *scripts) get(id cdp.ScriptID) *script {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.byID[id]; n != nil {
		return n
	}
	return &script{id: id}
}

// withSourceMap returns the scripts with a source map URL.
func (s *scripts) withSourceMap() (list []*script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.byID {
		if n.mapURL != "" {
			list = append(list, n)
		}
	}
	return list
}

func (s *scripts) document() (frame cdp.FrameID, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame, s.page
}

func (d *Debugger) onScript(r *run, e *cdpdebugger.EventScriptParsed) {
	if strings.HasPrefix(e.URL, internalScriptPrefix) || e.ScriptLanguage == cdpdebugger.ScriptLanguageWebAssembly {
		return
	}
	r.scripts.add(&script{
		id: e.ScriptID, url: e.URL, mapURL: e.SourceMapURL, frame: frameOf(e.ExecutionContextAuxData),
		start: sourcemap.Position{Line: int(e.StartLine), Column: int(e.StartColumn)},
	})
	for _, resolved := range e.ResolvedBreakpoints {
		d.Breakpoints.addLocation(resolved.BreakpointID, r.scripts.locate(resolved.Location))
	}
}

// locate converts a CDP location without source maps.
func (s *scripts) locate(at *cdpdebugger.Location) Location {
	if at == nil {
		return Location{}
	}
	l := Location{URL: s.get(at.ScriptID).url, Line: int(at.LineNumber) + 1, Column: 1}
	if at.ColumnNumber != nil {
		l.Column = int(*at.ColumnNumber) + 1
	}
	return l
}

// original converts a CDP location to the original file, if a source map has it and loads before
// ctx ends.
func (s *scripts) original(ctx context.Context, at *cdpdebugger.Location) (Location, sourcemap.Source) {
	l := s.locate(at)
	if at == nil {
		return l, sourcemap.Source{}
	}
	n := s.get(at.ScriptID)
	m := s.sourceMap(ctx, n)
	if m == nil {
		return l, sourcemap.Source{}
	}
	o, ok := m.Original(n.toScript(sourcemap.Position{Line: l.Line - 1, Column: l.Column - 1}))
	if !ok || o.Source.URL == "" {
		return l, sourcemap.Source{}
	}
	return Location{URL: o.Source.URL, Line: o.Line + 1, Column: o.Column + 1, Generated: &l}, o.Source
}

// toScript converts a position in the document to one in the script.
func (n *script) toScript(p sourcemap.Position) sourcemap.Position {
	if p.Line == n.start.Line {
		p.Column -= n.start.Column
	}
	p.Line -= n.start.Line
	return p
}

// toDocument converts a position in the script to one in the document.
func (n *script) toDocument(p sourcemap.Position) sourcemap.Position {
	if p.Line == 0 {
		p.Column += n.start.Column
	}
	p.Line += n.start.Line
	return p
}

// sourceText returns the lines of the script.
func (s *scripts) sourceText(ctx context.Context, n *script) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lines != nil {
		return n.lines, nil
	}
	res, err := cdp.Call(ctx, s.session, cdpdebugger.GetScriptSource, cdpdebugger.GetScriptSourceParams{ScriptID: n.id})
	if err != nil {
		return nil, fmt.Errorf("read the source of %s: %w", n.url, err)
	}
	n.lines = strings.Split(res.ScriptSource, "\n")
	return n.lines, nil
}
