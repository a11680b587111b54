package act

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// How long a page may take beyond the wait that the caller allowed: to list its elements, and to
// take an action, whose navigation and requests the engine awaits for at most 20 s.
const (
	answerTime = 10 * time.Second
	actTime    = 25 * time.Second
)

// boundHungPage bounds the part of a call that waits for the page. stop, which the caller defers,
// replaces *err when the page has not answered in this time: the script of a hung page never lets
// it.
func boundHungPage(ctx context.Context, limit time.Duration, err *error) (bounded context.Context, stop func()) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	return bounded, func() {
		if *err != nil && ctx.Err() == nil && errors.Is(bounded.Err(), context.DeadlineExceeded) {
			*err = toolkit.Refuse(toolkit.Timeout, fmt.Sprintf(
				"the page has not answered for %v: a script of it may not end, or it is too large; reload or close it", limit),
				toolkit.Field{Name: "ms", Value: limit.Milliseconds()})
		}
		cancel()
	}
}
