package toolschema

// maxWeight bounds how many schemas one value at one place may have to be held against.
const maxWeight = 2000

// weigh counts the schemas that apply to one and the same value, through references and alternatives. Those of a stranger
// may double at every step, or lead back to themselves; such a schema is too heavy, at whatever depth it stands.
func weigh(s *Schema, seen map[*Schema]int) int {
	if w, ok := seen[s]; ok {
		return w // a schema that is being weighed leads back to itself
	}
	seen[s] = maxWeight + 1
	w := 1
	add := func(p *Schema) { w = min(w+weigh(p, seen), maxWeight+1) }
	if s.ref != "" {
		add(s.target())
	}
	for _, p := range s.branches() {
		add(p)
	}
	seen[s] = w
	return w
}

// tooHeavy looks through the whole schema.
func tooHeavy(s *Schema, seen map[*Schema]int, looked map[*Schema]bool) bool {
	if looked[s] {
		return false
	}
	looked[s] = true
	if weigh(s, seen) > maxWeight {
		return true
	}
	below := s.branches()
	for _, p := range s.props {
		below = append(below[:len(below):len(below)], p)
	}
	for _, p := range []*Schema{s.items, s.extra} {
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
		if tooHeavy(p, seen, looked) {
			return true
		}
	}
	return false
}
