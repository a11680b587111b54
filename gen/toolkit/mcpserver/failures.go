package mcpserver

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The limits of wrong tokens from one address: freeFailures at once, one more a second after that, and the answer to each
// further one waits for its turn, at most maxFailureDelay. Addresses are forgotten when there are maxFailingAddresses.
const (
	freeFailures        = 10
	maxFailureDelay     = 2 * time.Second
	maxFailingAddresses = 1024
)

// failures slows down who tries tokens. A request with the right token never waits.
type failures struct {
	mu   sync.Mutex
	from map[string]*rate.Limiter // by address
}

// wait returns when a wrong token may be answered, and the address that it came from.
func (f *failures) wait(ctx context.Context, r *http.Request) (address string) {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr
	}
	timer := time.NewTimer(min(f.limiter(address).Reserve().Delay(), maxFailureDelay))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return address
}

func (f *failures) limiter(address string) *rate.Limiter {
	f.mu.Lock()
	defer f.mu.Unlock()
	limit := f.from[address]
	if limit == nil {
		if f.from == nil || len(f.from) >= maxFailingAddresses {
			f.from = make(map[string]*rate.Limiter)
		}
		limit = rate.NewLimiter(rate.Every(time.Second), freeFailures)
		f.from[address] = limit
	}
	return limit
}
