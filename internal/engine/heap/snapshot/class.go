package snapshot

import "strings"

// class is the number of a class of nodes: twice the index of its name, and one more for functions, whose
// names are their own.
type class uint32

func (g *Graph) addClass(index map[string]uint32, name string) uint32 {
	c, ok := index[name]
	if !ok {
		c = uint32(len(g.classNames)) // fewer than strings
		g.classNames = append(g.classNames, name)
		g.isInternal = append(g.isInternal, internalClass(name))
		index[name] = c
	}
	return c
}

// The classes of nodes that have none of their own, in the order of sharedClasses.
const (
	classSystem = iota
	classArray
	classString
	classCode
	classRegExp
	classNumber
	classSymbol
	classShape
)

func sharedClasses() []string {
	return []string{"(system)", "(array)", "(string)", "(compiled code)", "RegExp", "(number)", "(symbol)", "(object shape)"}
}

// classOf is the class of a node.
func (g *Graph) classOf(n Node) class {
	var shared class
	switch g.kindOf(n) {
	case kindObject, kindNative, kindSynthetic:
		return 2 * class(g.classes[g.names[n]])
	case kindClosure:
		return 2*class(g.classes[g.names[n]]) + 1
	case kindArray:
		shared = classArray
	case kindString, kindConsString, kindSlicedString:
		shared = classString
	case kindCode:
		shared = classCode
	case kindRegExp:
		shared = classRegExp
	case kindNumber, kindBigInt:
		shared = classNumber
	case kindSymbol:
		shared = classSymbol
	case kindShape:
		shared = classShape
	default:
		shared = classSystem
	}
	return 2 * shared
}

// className writes a class: Map, <div>, onResize().
func (g *Graph) className(c class) string {
	name := g.classNames[c/2]
	if c%2 == 0 {
		return name
	}
	if name == "" {
		name = "(anonymous)"
	}
	return name + "()"
}

// internalClass reports whether a class is of the browser's own bookkeeping, which holds objects for
// the objects of the page.
func internalClass(name string) bool {
	switch name {
	case "", "(system)", "(array)", "(compiled code)", "(number)", "(object shape)", "EventListener", "V8EventListener", "internal", "InternalNode":
		return true
	}
	return strings.HasPrefix(name, "system / ") || strings.Contains(name, "::") || strings.HasPrefix(name, "V8") && strings.Contains(name, "Callback")
}

// isOwn reports whether a node is an object of the page, and no bookkeeping of the browser.
func (g *Graph) isOwn(n Node) bool {
	if g.kinds[n]&foreignBit != 0 {
		return false
	}
	c := g.classOf(n)
	if c%2 == 1 {
		return true
	}
	if c/2 == classString && g.sizes[n] == 0 { // shared by all pages, with another id in each snapshot
		return false
	}
	return !g.isInternal[c/2] && g.kindOf(n) != kindSynthetic
}

// isElement reports whether a node is one of the DOM.
func (g *Graph) isElement(n Node) bool {
	if g.kindOf(n) != kindNative {
		return false
	}
	name := g.classNames[g.classes[g.names[n]]]
	return strings.HasPrefix(name, "<") || name == "Text" || name == "Comment"
}
