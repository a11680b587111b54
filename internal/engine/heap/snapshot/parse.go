package snapshot

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
)

// Bounds of a file: a node is written with at least minNodeBytes, an edge with minEdgeBytes.
const (
	minNodeBytes = 10
	minEdgeBytes = 6
	maxMetaBytes = 1 << 20
	maxFileBytes = 1 << 32 // offsets of strings have 32 bits
)

// header is the first member of a snapshot.
type header struct {
	Meta struct {
		NodeFields []string          `json:"node_fields"`
		NodeTypes  []json.RawMessage `json:"node_types"`
		EdgeFields []string          `json:"edge_fields"`
		EdgeTypes  []json.RawMessage `json:"edge_types"`
		Locations  []string          `json:"location_fields"`
	} `json:"meta"`
	NodeCount int64 `json:"node_count"`
	EdgeCount int64 `json:"edge_count"`
}

// layout is where the fields of a row are, and which type a number means.
type layout struct {
	nodeWidth, nodeType, nodeName, nodeID, nodeSize, nodeEdges, nodeDetached int
	edgeWidth, edgeType, edgeName, edgeTo                                    int
	locWidth, locNode, locScript, locScriptNode, locLine, locColumn          int
	kinds                                                                    []kind
	edgeKinds                                                                []edgeKind
}

// parser reads one file.
type parser struct {
	*scanner
	g     *Graph
	size  int64
	h     header
	l     layout
	nodes int
}

// Read reads a snapshot of size bytes. The error wraps ErrFormat for what is no whole snapshot.
func Read(ctx context.Context, file io.ReaderAt, size int64) (*Graph, error) {
	if size >= maxFileBytes {
		return nil, fmt.Errorf("%w: it has %d bytes and may have %d", ErrFormat, size, int64(maxFileBytes))
	}
	p := &parser{scanner: newScanner(ctx, io.NewSectionReader(file, 0, size), size), g: &Graph{file: file}, size: size}
	p.read()
	if p.err != nil {
		return nil, p.err
	}
	return p.g, nil
}

// read reads the members of the file.
func (p *parser) read() {
	if !p.expect('{') {
		return
	}
	for p.err == nil {
		if !p.expect('"') {
			return
		}
		name := string(p.text(nil, 64))
		if !p.expect(':') {
			return
		}
		p.member(name)
		if p.err != nil {
			return
		}
		if p.isToken('}') {
			break
		}
		p.expect(',')
	}
	if p.err == nil && (int64(len(p.g.edgeTo)) != p.h.EdgeCount || p.g.strings == nil || p.nodes == 0) {
		p.fail("nodes, edges and strings")
	}
	if p.err == nil {
		p.check()
	}
}

func (p *parser) member(name string) {
	switch name {
	case "snapshot":
		p.readHeader()
	case "nodes":
		p.readNodes()
	case "edges":
		p.readEdges()
	case "locations":
		p.readLocations()
	case "strings":
		p.readStrings()
	default:
		p.skip(0)
	}
}

func (p *parser) readHeader() {
	raw := p.skip(maxMetaBytes)
	if p.err != nil {
		return
	}
	if err := json.Unmarshal(raw, &p.h); err != nil {
		p.fail("a description of the snapshot")
		return
	}
	if n, e := p.h.NodeCount, p.h.EdgeCount; n < 1 || e < 0 || n > p.size/minNodeBytes || e > p.size/minEdgeBytes {
		p.fail(fmt.Sprintf("%d nodes and %d edges in %d bytes", n, e, p.size))
		return
	}
	p.setLayout()
}

func (p *parser) setLayout() {
	m, l := p.h.Meta, &p.l
	at := slices.Index[[]string]
	l.nodeWidth, l.edgeWidth, l.locWidth = len(m.NodeFields), len(m.EdgeFields), len(m.Locations)
	l.nodeType, l.nodeName, l.nodeID = at(m.NodeFields, "type"), at(m.NodeFields, "name"), at(m.NodeFields, "id")
	l.nodeSize, l.nodeEdges, l.nodeDetached = at(m.NodeFields, "self_size"), at(m.NodeFields, "edge_count"), at(m.NodeFields, "detachedness")
	l.edgeType, l.edgeName, l.edgeTo = at(m.EdgeFields, "type"), at(m.EdgeFields, "name_or_index"), at(m.EdgeFields, "to_node")
	l.locNode, l.locScript, l.locScriptNode = at(m.Locations, "object_index"), at(m.Locations, "script_id"), at(m.Locations, "script_object_index")
	l.locLine, l.locColumn = at(m.Locations, "line"), at(m.Locations, "column")
	if min(l.nodeType, l.nodeName, l.nodeID, l.nodeSize, l.nodeEdges, l.edgeType, l.edgeName, l.edgeTo) < 0 {
		p.fail("the fields of nodes and edges")
		return
	}
	for _, name := range p.typeNames(m.NodeTypes, l.nodeType) {
		k := slices.Index(kindNames(), name)
		if k < 0 {
			k = int(kindOther)
		}
		l.kinds = append(l.kinds, kind(k)) // an index of few names
	}
	for _, name := range p.typeNames(m.EdgeTypes, l.edgeType) {
		k := slices.Index(edgeKindNames(), name)
		if k < 0 {
			k = int(edgeOther)
		}
		l.edgeKinds = append(l.edgeKinds, edgeKind(k)) // an index of few names
	}
}

// typeNames reads the names of types, which stand at the place of the field in a list.
func (p *parser) typeNames(lists []json.RawMessage, at int) (names []string) {
	if at >= len(lists) || json.Unmarshal(lists[at], &names) != nil {
		p.fail("the types of nodes and edges")
	}
	return names
}

func (p *parser) readNodes() {
	if p.l.kinds == nil || p.nodes > 0 {
		p.fail("the description before the nodes, once")
		return
	}
	g, l, count := p.g, p.l, int(p.h.NodeCount)
	g.kinds, g.names, g.ids = make([]uint8, 0, count), make([]uint32, 0, count), make([]uint32, 0, count)
	g.sizes, g.firstEdge = make([]uint32, 0, count), make([]uint32, 1, count+1)
	edges := uint64(0)
	p.numbers(l.nodeWidth, func(row []uint64) bool {
		edges += row[l.nodeEdges]
		if len(g.kinds) == count || row[l.nodeType] >= uint64(len(l.kinds)) || edges > uint64(p.h.EdgeCount) || row[l.nodeName] > math.MaxUint32 {
			p.fail("a node within the counts")
			return false
		}
		bits := uint8(l.kinds[row[l.nodeType]])
		if l.nodeDetached >= 0 {
			switch row[l.nodeDetached] {
			case 1:
				bits |= attachedBit
			case 2:
				bits |= detachedBit
			}
		}
		g.kinds = append(g.kinds, bits)
		g.names = append(g.names, uint32(row[l.nodeName]))
		g.ids = append(g.ids, uint32(min(row[l.nodeID], math.MaxUint32)))
		g.sizes = append(g.sizes, uint32(min(row[l.nodeSize], math.MaxUint32)))
		g.firstEdge = append(g.firstEdge, uint32(edges))
		return true
	})
	p.nodes = len(g.kinds)
	if p.err == nil && (p.nodes != count || edges != uint64(p.h.EdgeCount)) {
		p.fail("all nodes")
	}
}

func (p *parser) readEdges() {
	if p.nodes == 0 || p.g.edgeTo != nil {
		p.fail("the nodes before the edges, once")
		return
	}
	g, l, count := p.g, p.l, int(p.h.EdgeCount)
	g.edgeNames, g.edgeTo = make([]uint32, 0, count), make([]uint32, 0, count)
	p.numbers(l.edgeWidth, func(row []uint64) bool {
		to := row[l.edgeTo] / uint64(l.nodeWidth)
		if len(g.edgeTo) == count || row[l.edgeType] >= uint64(len(l.edgeKinds)) || to >= uint64(p.nodes) {
			p.fail("an edge to a node")
			return false
		}
		g.edgeNames = append(g.edgeNames, uint32(l.edgeKinds[row[l.edgeType]])<<edgeNameBits|uint32(min(row[l.edgeName], maxEdgeName)))
		g.edgeTo = append(g.edgeTo, uint32(to))
		return true
	})
}

func (p *parser) readLocations() {
	l := p.l
	if min(l.locNode, l.locScript, l.locLine, l.locColumn) < 0 || l.locWidth == 0 || p.nodes == 0 {
		p.skip(0)
		return
	}
	p.numbers(l.locWidth, func(row []uint64) bool {
		node := row[l.locNode] / uint64(l.nodeWidth)
		if node >= uint64(p.nodes) || len(p.g.locations) >= p.nodes {
			p.fail("a location of a node")
			return false
		}
		at := location{node: Node(node), scriptID: uint32(min(row[l.locScript], math.MaxUint32)),
			line: uint32(min(row[l.locLine], math.MaxUint32)), column: uint32(min(row[l.locColumn], math.MaxUint32))}
		if l.locScriptNode >= 0 {
			if script := row[l.locScriptNode] / uint64(l.nodeWidth); script < uint64(p.nodes) {
				at.script = Node(script)
			}
		}
		p.g.locations = append(p.g.locations, at)
		return true
	})
	slices.SortFunc(p.g.locations, func(a, b location) int { return cmp.Compare(a.node, b.node) })
}

// check holds names against the strings, which come last.
func (p *parser) check() {
	g, known := p.g, uint32(len(p.g.strings))
	for _, name := range g.names {
		if name >= known {
			p.fail("a text for each node")
			return
		}
	}
	for e := range g.edgeNames {
		k := g.edgeKind(uint32(e))
		if k != edgeElement && k != edgeHidden && g.edgeIndex(uint32(e)) >= known {
			p.fail("a text for each edge")
			return
		}
	}
}
