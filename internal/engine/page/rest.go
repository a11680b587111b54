package page

import "context"

// isNetworkBusy reports a request or a navigation that is under way or ended lately: its response may
// change the page, and may do so after the page was last read.
func (p *Page) isNetworkBusy() bool {
	idle, _ := p.tracker.idleFor()
	return idle < idleTime
}

// isAtRest reports that no document of the page is about to change: no request, no animation and no
// timer of a script is pending, and nothing has changed lately.
func (p *Page) isAtRest(ctx context.Context) (bool, error) {
	if p.isNetworkBusy() {
		return false, nil
	}
	var document struct {
		Rest bool `json:"rest"`
	}
	if err := p.evaluateWithRetry(ctx, "atRest", nil, &document); err != nil || !document.Rest {
		return false, err
	}
	for _, w := range p.frames.live() {
		if err := p.evaluateIn(ctx, w, "atRest", nil, &document); err != nil || !document.Rest {
			return false, err
		}
	}
	return true, nil
}
