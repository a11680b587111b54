package settle

import (
	"context"
	"time"
)

// Pause waits for a duration. It fails with the cause of ctx when that ends first.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
