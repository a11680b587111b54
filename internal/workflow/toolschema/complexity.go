package toolschema

import "slices"

// maxComplexity bounds how many schemas one value may have to be checked against.
const maxComplexity = 2000

// complexity counts the schemas that apply to one value, through references and alternatives. An
// untrusted schema may double at each step or refer to itself; either exceeds maxComplexity.
func complexity(s *Schema, seen map[*Schema]int) int {
	if w, ok := seen[s]; ok {
		return w // a schema in progress refers to itself
	}
	seen[s] = maxComplexity + 1
	w := 1
	add := func(p *Schema) { w = min(w+complexity(p, seen), maxComplexity+1) }
	if s.ref != "" {
		add(s.deref())
	}
	for _, p := range s.subschemas() {
		add(p)
	}
	seen[s] = w
	return w
}

// isTooComplex reports whether any part of a schema exceeds maxComplexity.
func isTooComplex(s *Schema, seen map[*Schema]int, visited map[*Schema]bool) bool {
	if visited[s] {
		return false
	}
	visited[s] = true
	if complexity(s, seen) > maxComplexity {
		return true
	}
	children := s.subschemas()
	for _, p := range s.props {
		children = append(children[:len(children):len(children)], p)
	}
	for _, p := range []*Schema{s.items, s.additional} {
		if p != nil {
			children = append(children[:len(children):len(children)], p)
		}
	}
	if s == s.root {
		for _, p := range s.defs {
			children = append(children[:len(children):len(children)], p)
		}
	}
	return slices.ContainsFunc(children, func(p *Schema) bool { return isTooComplex(p, seen, visited) })
}
