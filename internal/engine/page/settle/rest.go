package settle

import (
	"context"
)

// IsNetworkBusy reports a request or a navigation that is under way or ended lately: its response may
// change the page, and may do so after the page was last read.
func (wt *Waiter) IsNetworkBusy() bool {
	idle, _ := wt.doc.Tracker.IdleFor()
	return idle < idleTime
}

// IsAtRest reports that no document of the page is about to change: no request, no animation and no
// timer of a script is pending, and nothing has changed lately.
func (wt *Waiter) IsAtRest(ctx context.Context) (bool, error) {
	if wt.IsNetworkBusy() {
		return false, nil
	}
	return wt.areDocumentsAtRest(ctx)
}

// IsLoading reports that a request or navigation is under way, or that a document is not at rest.
func (wt *Waiter) IsLoading(ctx context.Context) (bool, error) {
	if idle, _ := wt.doc.Tracker.IdleFor(); idle == 0 {
		return true, nil
	}
	rest, err := wt.areDocumentsAtRest(ctx)
	return !rest, err
}

func (wt *Waiter) areDocumentsAtRest(ctx context.Context) (bool, error) {
	var document struct {
		Rest bool `json:"rest"`
	}
	if err := wt.doc.EvaluateWithRetry(ctx, "atRest", nil, &document); err != nil || !document.Rest {
		return false, err
	}
	for _, w := range wt.doc.Frames.Live() {
		if err := wt.doc.EvaluateIn(ctx, w, "atRest", nil, &document); err != nil || !document.Rest {
			return false, err
		}
	}
	return true, nil
}
