// Package sourcemap parses source maps (ECMA-426) and maps positions in both directions, between
// generated scripts and original files.
//
// It must not know where maps come from: no network, no browser, no files. Maps are untrusted
// input, so no map may cause a panic or memory use out of proportion to its length.
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
	// segmentLimit bounds the memory of a map: 20 bytes per segment in each of two indexes.
	// The largest known bundles have about a million segments.
	segmentLimit = 3_000_000
	// depthLimit bounds the nesting of sections; the format allows one level.
	depthLimit = 3
)

// Source is one original file.
type Source struct {
	// URL is the file's URL, resolved against the base URL; Name is its name in the map.
	URL, Name string
	// Content is the file's text, "" if the map does not contain it.
	Content string
}

// Position is a zero-based position in a text, as in CDP. Columns count UTF-16 code units.
type Position struct{ Line, Column int }

// Original is a position in an original file.
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

// segment maps a generated position to an original one. source is -1 for generated text without an
// origin.
type segment struct{ genLine, genColumn, source, line, column int32 }

// mapJSON is the JSON form of a map, regular or indexed (with sections).
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

// Parse decodes a map. base is the URL of the map, or of the script for an inline map; Parse
// resolves sources against it.
func Parse(text []byte, base string) (*Map, error) {
	// Servers may prepend this line so that the text is not a valid script.
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

// Original returns the original position of a generated one: that of the nearest mapping before it
// on its line. ok is false without such a mapping or if the mapping has no source.
func (m *Map) Original(at Position) (o Original, ok bool) {
	i, _ := slices.BinarySearchFunc(m.forward, at, func(s segment, p Position) int {
		if c := cmp.Compare(int(s.genLine), p.Line); c != 0 {
			return c
		}
		if int(s.genColumn) <= p.Column {
			return -1 // finds the first segment after the position
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

// Generated returns the generated position of an original position in a source that match accepts:
// of the position itself or the nearest one after it, because a breakpoint on a line without code
// moves to the next line with code.
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

// Sources returns the original files in the order of the map.
func (m *Map) Sources() []Source { return slices.Clone(m.sources) }
