package toolkit

// clientList records which tools and which lists the client of a session was sent.
type clientList struct {
	sent      Set    // tools whose definitions it has been sent, or has called
	has       Set    // tools of the list that it fetched last, and of answers of expand_tools since
	missing   Set    // tools that it was told the names of, and has no definitions of
	fetched   uint64 // the number of the list that it fetched last, from 1 on; 0 before that
	announced uint64 // the number of the list that it was last notified of; 0 before that
	refetches bool   // it has fetched the list again after a change
}

// fetch records that the client is sent a list by its number.
func (c *clientList) fetch(list Set, number uint64) {
	c.refetches = c.refetches || c.fetched != 0 && c.fetched != number
	c.sent, c.has, c.missing, c.fetched = list, list, Set{}, number
}

// keeps reports whether the client has not fetched the list that it was last notified of.
func (c *clientList) keeps() bool { return c.announced > c.fetched }

// unsent returns the visible tools that the client has not been sent.
func (c *clientList) unsent(tools []Tool, visible Set) []*Tool {
	var out []*Tool
	for i := range tools {
		if visible.Has(i) && !c.sent.Has(i) {
			out = append(out, &tools[i])
		}
	}
	return out
}
