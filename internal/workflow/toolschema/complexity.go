package toolschema

// maxComplexity bounds how many schemas one value at one place may have to be held against.
const maxComplexity = 2000

// complexity counts the schemas that apply to one and the same value, through references and alternatives. Those of a stranger
// may double at every step, or lead back to themselves; such a schema is too heavy, at whatever depth it stands.
func complexity(s *Schema, seen map[*Schema]int) int {
	if w, ok := seen[s]; ok {
		return w // a schema that is being weighed leads back to itself
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

// isTooComplex looks through the whole schema.
func isTooComplex(s *Schema, seen map[*Schema]int, looked map[*Schema]bool) bool {
	if looked[s] {
		return false
	}
	looked[s] = true
	if complexity(s, seen) > maxComplexity {
		return true
	}
	below := s.subschemas()
	for _, p := range s.props {
		below = append(below[:len(below):len(below)], p)
	}
	for _, p := range []*Schema{s.items, s.additional} {
		if p != nil {
			below = append(below[:len(below):len(below)], p)
		}
	}
	if s == s.root {
		for _, p := range s.defs {
			below = append(below[:len(below):len(below)], p)
		}
	}
	for _, p := range below {
		if isTooComplex(p, seen, looked) {
			return true
		}
	}
	return false
}
