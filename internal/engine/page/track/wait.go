package track

import (
	"context"
	"fmt"
	"time"
)

// WaitForEvent waits for the tracker's next event while what is pending: for left, or for
// grace if that is set and shorter; see [tracker.pending].
func WaitForEvent(ctx context.Context, what string, changed <-chan struct{}, left, grace time.Duration) error {
	if grace > 0 {
		left = min(left, grace)
	}
	select {
	case <-changed:
	case <-time.After(left):
	case <-ctx.Done():
		return fmt.Errorf("waiting while %s: %w", what, context.Cause(ctx))
	}
	return nil
}
