package document

import (
	"context"
	"time"
)

// Remaining returns the time until ctx ends, at most limit, in milliseconds. It reserves a quarter
// of a short time, and 300 ms of a long one, for the response: a reason that arrives after the
// deadline is lost.
func Remaining(ctx context.Context, limit time.Duration) int64 {
	if end, ok := ctx.Deadline(); ok {
		left := max(0, time.Until(end))
		limit = min(limit, left-min(left/4, 300*time.Millisecond))
	}
	return limit.Milliseconds()
}
