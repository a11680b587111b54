// Package sourcemap reads source maps (ECMA-426) and answers in both directions: where a
// position of a generated script comes from, and where a line of an original file went.
//
// It must not know where maps come from: no network, no browser, no files. Maps are
// written by strangers, so nothing in one may make it panic or use memory out of
// proportion to the text.
package sourcemap

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

const (
	// segmentLimit bounds a map's memory: 20 bytes each, two indexes. The largest
	// bundles in the wild have about a million.
	segmentLimit = 3_000_000
	// depthLimit bounds sections within sections; the format allows one level.
	depthLimit = 3
)

// Source is one original file.
type Source struct {
	// URL is the file's address, resolved against the map's; Name is what the map
	// calls it.
	URL, Name string
	// Content is the file's text, "" if the map does not carry it.
	Content string
}

// Position is a place in a text, zero-based as in the protocol. Columns count UTF-16
// code units.
type Position struct{ Line, Column int }

// Original is a place in an original file.
type Original struct {
	Source Source
	Position
}

// Map is a decoded source map. It is immutable and safe for concurrent use.
type Map struct {
	sources []Source
	forward []segment // by generated position
	reverse []segment // by source and original position, without unmapped ones
}

// segment ties a generated position to an original one; source is -1 for text that
// nobody wrote.
type segment struct{ genLine, genColumn, source, line, column int32 }

// mapJSON is a map as JSON, flat or in sections.
type mapJSON struct {
	Version        int       `json:"version"`
	SourceRoot     string    `json:"sourceRoot"`
	Sources        []*string `json:"sources"`
	SourcesContent []*string `json:"sourcesContent"`
	Mappings       string    `json:"mappings"`
	Sections       []struct {
		Offset struct {
			Line   int `json:"line"`
			Column int `json:"column"`
		} `json:"offset"`
		Map *mapJSON `json:"map"`
	} `json:"sections"`
}

// Parse decodes a map. base is the address of the map, or of the script for an inline
// one; sources are resolved against it.
func Parse(text []byte, base string) (*Map, error) {
	// Servers may put this line in front so that the text is no script.
	if bytes.HasPrefix(text, []byte(")]}'")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	var w mapJSON
	if err := json.Unmarshal(text, &w); err != nil {
		return nil, fmt.Errorf("read the source map: %w", err)
	}
	at, err := url.Parse(base)
	if err != nil || at.Opaque != "" {
		at = new(url.URL)
	}
	m := new(Map)
	if err := m.add(&w, at, Position{}, 0); err != nil {
		return nil, err
	}
	slices.SortStableFunc(m.forward, func(a, b segment) int {
		return cmp.Or(cmp.Compare(a.genLine, b.genLine), cmp.Compare(a.genColumn, b.genColumn))
	})
	for _, s := range m.forward {
		if s.source >= 0 {
			m.reverse = append(m.reverse, s)
		}
	}
	slices.SortStableFunc(m.reverse, compareOriginal)
	return m, nil
}

func compareOriginal(a, b segment) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
}

// add decodes one map whose generated text begins at offset.
func (m *Map) add(w *mapJSON, base *url.URL, offset Position, depth int) error {
	if w == nil || w.Version != 3 {
		return errors.New("read the source map: its version is not 3")
	}
	if depth > depthLimit {
		return errors.New("read the source map: sections are nested too deeply")
	}
	for _, s := range w.Sections {
		within := Position{offset.Line + s.Offset.Line, s.Offset.Column}
		if s.Offset.Line == 0 {
			within.Column += offset.Column
		}
		if within.Line < 0 || within.Column < 0 {
			return errors.New("read the source map: a section begins before the text")
		}
		if err := m.add(s.Map, base, within, depth+1); err != nil {
			return err
		}
	}
	first := len(m.sources)
	for i, name := range w.Sources {
		s := Source{}
		if name != nil {
			s.Name = *name
			s.URL = resolve(base, w.SourceRoot, *name)
		}
		if i < len(w.SourcesContent) && w.SourcesContent[i] != nil {
			s.Content = *w.SourcesContent[i]
		}
		m.sources = append(m.sources, s)
	}
	return m.decode(w.Mappings, first, offset)
}

func resolve(base *url.URL, root, name string) string {
	if root != "" && !strings.HasSuffix(root, "/") {
		root += "/"
	}
	ref, err := url.Parse(root + name)
	if err != nil || *base == (url.URL{}) {
		return root + name
	}
	return base.ResolveReference(ref).String()
}

// Original returns where the generated position comes from. It is the nearest mapped
// position before it on its line; ok is false if there is none, or nobody wrote it.
func (m *Map) Original(at Position) (o Original, ok bool) {
	i, _ := slices.BinarySearchFunc(m.forward, at, func(s segment, p Position) int {
		if c := cmp.Compare(int(s.genLine), p.Line); c != 0 {
			return c
		}
		if int(s.genColumn) <= p.Column {
			return -1 // the search is for the first one after the position
		}
		return 1
	})
	if i == 0 {
		return Original{}, false
	}
	s := m.forward[i-1]
	if int(s.genLine) != at.Line || s.source < 0 {
		return Original{}, false
	}
	return Original{m.sources[s.source], Position{int(s.line), int(s.column)}}, true
}

// Generated returns the first generated position of an original one in a source that
// match accepts: the place itself or the nearest after it, for a breakpoint on a line
// without code belongs to the next line that has some.
func (m *Map) Generated(match func(Source) bool, at Position) (generated Position, ok bool) {
	for n, source := range m.sources {
		if !match(source) {
			continue
		}
		i, _ := slices.BinarySearchFunc(m.reverse, segment{source: int32(n), line: clamp(at.Line), column: clamp(at.Column)}, compareOriginal)
		if i < len(m.reverse) && int(m.reverse[i].source) == n {
			s := m.reverse[i]
			return Position{int(s.genLine), int(s.genColumn)}, true
		}
	}
	return Position{}, false
}

// Sources are the original files in the map's order.
func (m *Map) Sources() []Source { return slices.Clone(m.sources) }
