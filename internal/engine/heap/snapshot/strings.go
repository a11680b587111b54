package snapshot

import (
	"bytes"
	"context"
	"strconv"
	"strings"
)

// neverEnds is the context of short reads.
func neverEnds() context.Context { return context.Background() }

// readStrings records where each string is. It keeps the texts of classes, and what the names of
// edges say of WeakMaps.
func (p *parser) readStrings() {
	if p.nodes == 0 || p.g.strings != nil {
		p.fail("the nodes before the texts, once")
		return
	}
	g := p.g
	isClass := g.classStrings()
	g.classes, g.tables = make(map[uint32]uint32), make(map[uint32]uint32)
	index := make(map[string]uint32)
	for _, name := range sharedClasses() {
		g.addClass(index, name)
	}
	g.strings, g.proto = []uint32{}, noEdge
	if !p.expect('[') || p.isToken(']') {
		return
	}
	g.stringsAt = p.offset()
	var text []byte
	for p.err == nil {
		if !p.expect('"') {
			return
		}
		i := uint32(len(g.strings))
		g.strings = append(g.strings, uint32(p.offset()-1-g.stringsAt))
		text = p.text(text[:0], maxName)
		if int(i) < len(isClass) && isClass[i] {
			g.classes[i] = g.addClass(index, normalClass(string(text)))
		}
		if string(text) == "__proto__" {
			g.proto = i
		}
		if table, ok := weakTable(text); ok {
			g.tables[i] = table
		}
		if p.isToken(']') {
			return
		}
		p.expect(',')
	}
}

// classStrings marks the strings that are names of classes and functions.
func (g *Graph) classStrings() []bool {
	most := uint32(0)
	for _, n := range g.names {
		most = max(most, n)
	}
	if int64(most) > int64(maxFileBytes/2) {
		return nil
	}
	out := make([]bool, min(int(most)+1, 8*len(g.names)+1))
	for n, name := range g.names {
		if k := g.kindOf(Node(n)); hasOwnClass(k) && int(name) < len(out) {
			out[name] = true
		}
	}
	return out
}

func hasOwnClass(k kind) bool {
	return k == kindObject || k == kindNative || k == kindClosure || k == kindSynthetic
}

// normalClass is the class that a name belongs to: of an element its tag, of a global object the
// name without its address, of internal ones the name without details.
func normalClass(name string) string {
	if rest, ok := strings.CutPrefix(name, "Detached "); ok { // so named by earlier versions of V8
		name = rest
	}
	if strings.HasPrefix(name, "<") {
		if end := strings.IndexAny(name, " >"); end > 0 {
			return name[:end] + ">"
		}
		return name
	}
	if head, _, ok := strings.Cut(name, " / "); ok {
		if head == "system" {
			parts := strings.SplitN(name, " / ", 3)
			return head + " / " + parts[1]
		}
		return strings.TrimSuffix(head, " [JSGlobalObject]")
	}
	return name
}

// weakTable reads the id of the table from the name of an edge to a value of a WeakMap. The edge of
// the key says the same, and one of the two is enough to keep the value.
func weakTable(text []byte) (uint32, bool) {
	const mark = " pair in WeakMap (table @"
	i := bytes.LastIndex(text, []byte(mark))
	if i < 0 || !bytes.HasSuffix(text, []byte(")")) {
		return 0, false
	}
	id, err := strconv.ParseUint(string(text[i+len(mark):len(text)-1]), 10, 32)
	return uint32(id), err == nil
}
