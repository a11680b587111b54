package session

// Place chooses a session for a call, before the lookup of its tab.
func (s *Set) Place() { s.place() }
