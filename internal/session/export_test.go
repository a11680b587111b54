package session

// Place is what a call does before it looks for its tab.
func (s *Set) Place() { s.place() }
