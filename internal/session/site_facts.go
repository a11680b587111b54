package session

import "github.com/callsheet/callsheet/gen/toolkit"

// UpdateSiteFacts changes the facts that pages show and connections do not know, such as those of a site, and
// reports them to the followers together with those of the active connection. Their bits are none of the
// connections'. change gets the facts that the set has, and must not call it.
func (s *Set) UpdateSiteFacts(change func(toolkit.Facts) toolkit.Facts) {
	s.mu.Lock()
	s.siteFacts = change(s.siteFacts)
	s.mu.Unlock()
	s.Refresh()
}
