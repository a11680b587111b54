package session

import "github.com/callsheet/callsheet/gen/toolkit"

// SetSiteFacts replaces the facts that pages show and connections do not know, such as those of a site, and
// reports them to the followers together with those of the active connection. Their bits are none of the
// connections'.
func (s *Set) SetSiteFacts(facts toolkit.Facts) {
	s.mu.Lock()
	s.siteFacts = facts
	s.mu.Unlock()
	s.Refresh()
}

// UpdateSiteFacts is SetSiteFacts with a change of the facts that the set has.
func (s *Set) UpdateSiteFacts(change func(toolkit.Facts) toolkit.Facts) {
	s.mu.Lock()
	s.siteFacts = change(s.siteFacts)
	s.mu.Unlock()
	s.Refresh()
}
