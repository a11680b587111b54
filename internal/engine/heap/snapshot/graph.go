package snapshot

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

// Node is a node of a graph by its place in the snapshot. Node 0 is the root.
type Node uint32

// kind is the type of a node.
type kind uint8

// The types of nodes, by their names in the format.
const (
	kindHidden kind = iota
	kindArray
	kindString
	kindObject
	kindCode
	kindClosure
	kindRegExp
	kindNumber
	kindNative
	kindSynthetic
	kindConsString
	kindSlicedString
	kindSymbol
	kindBigInt
	kindShape
	kindOther
	kindMask = 15
)

// kindNames returns the types of nodes as the format names them.
func kindNames() []string {
	return []string{"hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
		"concatenated string", "sliced string", "symbol", "bigint", "object shape"}
}

// Marks of nodes.
const (
	attachedBit = 1 << 4 // a node of the DOM in a document
	detachedBit = 1 << 5 // a node of the DOM in no document
	foreignBit  = 1 << 6 // of scripts that are not the page's
)

// edgeKind is the type of an edge.
type edgeKind uint8

// The types of edges, by their names in the format.
const (
	edgeContext edgeKind = iota
	edgeElement
	edgeProperty
	edgeInternal
	edgeHidden
	edgeShortcut
	edgeWeak
	edgeOther
)

func edgeKindNames() []string {
	return []string{"context", "element", "property", "internal", "hidden", "shortcut", "weak"}
}

// edgeNameBits are the bits of an edge that hold its name or index; the others hold its type.
const (
	edgeNameBits = 29
	maxEdgeName  = 1<<edgeNameBits - 1
)

// location is the place of a function in its script.
type location struct {
	node         Node
	script       Node   // 0 if the format does not say
	scriptID     uint32 // the browser's id of the script
	line, column uint32 // from 0
}

// Graph is a snapshot in memory: its nodes and edges, their names and classes. It reads strings from
// the file when they are asked for, so the file must stay open. It is not safe for concurrent use.
type Graph struct {
	file io.ReaderAt

	kinds     []uint8  // type and whether it is in a document
	names     []uint32 // string
	ids       []uint32
	sizes     []uint32 // bytes, without what it refers to
	firstEdge []uint32 // one more than nodes
	edgeNames []uint32 // type and string or index
	edgeTo    []uint32

	strings   []uint32 // offset of each string after stringsAt
	stringsAt int64
	locations []location // sorted by node

	classNames []string
	isInternal []bool            // by class name
	classes    map[uint32]uint32 // class by string, of nodes that have one of their own
	tables     map[uint32]uint32 // ids of WeakMap tables by the strings of edges to their values
	proto      uint32            // the string __proto__, or noEdge
}

// noEdge and noNode stand for a missing one.
const (
	noEdge = ^uint32(0)
	noNode = ^uint32(0)
)

func (g *Graph) kindOf(n Node) kind { return kind(g.kinds[n] & kindMask) }

// isDetached reports whether a node of the DOM is in no document.
func (g *Graph) isDetached(n Node) bool { return g.kinds[n]&detachedBit != 0 }

func (g *Graph) edgeKind(e uint32) edgeKind { return edgeKind(g.edgeNames[e] >> edgeNameBits) }
func (g *Graph) edgeIndex(e uint32) uint32  { return g.edgeNames[e] & maxEdgeName }

// edgeLabel is the name of an edge, or "" of one with an index.
func (g *Graph) edgeLabel(e uint32) string {
	switch g.edgeKind(e) {
	case edgeElement, edgeHidden:
		return ""
	default:
		return g.text(g.edgeIndex(e), maxName)
	}
}

// edgeFrom is the node that an edge begins at.
func (g *Graph) edgeFrom(e uint32) Node {
	i, found := slices.BinarySearch(g.firstEdge, e)
	if !found {
		return Node(i - 1)
	}
	for i+1 < len(g.firstEdge) && g.firstEdge[i+1] == e { // nodes without edges begin at the same place
		i++
	}
	return Node(i)
}

// edges are the edges that begin at a node.
func (g *Graph) edges(n Node) (from, to uint32) { return g.firstEdge[n], g.firstEdge[n+1] }

// maxName is the most that is read of a string, in bytes.
const maxName = 200

// text reads a string from the file; "" if it cannot be read.
func (g *Graph) text(index uint32, limit int) string {
	if int(index) >= len(g.strings) {
		return ""
	}
	at := g.stringsAt + int64(g.strings[index])
	size := int64(6*limit + 2) // each character may be an escape sequence
	s := newScanner(neverEnds(), io.NewSectionReader(g.file, at, size), size)
	if !s.isToken('"') {
		return ""
	}
	return string(s.text(nil, limit))
}

// NodeByID finds a node by the id that the snapshot gives it.
func (g *Graph) NodeByID(id uint32) (Node, bool) {
	i := slices.Index(g.ids, id)
	return Node(max(i, 0)), i >= 0 // an index of nodes
}

// locationOf finds the place of a function.
func (g *Graph) locationOf(n Node) (location, bool) {
	i, ok := slices.BinarySearchFunc(g.locations, n, func(l location, n Node) int { return cmp.Compare(l.node, n) })
	if !ok {
		return location{}, false
	}
	return g.locations[i], true
}

// scriptPrefix begins the names of scripts.
const scriptPrefix = "system / Script / "

// scriptURL is the address of the script of a place; "" if it is unknown.
func (g *Graph) scriptURL(l location) string {
	if l.script == 0 {
		return ""
	}
	name := g.text(g.names[l.script], 2000)
	url, ok := strings.CutPrefix(name, scriptPrefix)
	if !ok {
		return ""
	}
	return url
}
