package document

import (
	"context"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// A page that reloads itself all the time is given up after so many documents and at least so long.
// Chains of redirects by script are shorter.
const (
	maxReplacements    = 15
	replacementTimeout = 5 * time.Second
)

// ReloadingError says that the page replaces its document faster than it can be used.
type ReloadingError struct {
	// Documents is the number of documents that were replaced during the call.
	Documents int
	// During is the duration of the call.
	During time.Duration
}

func (e *ReloadingError) Error() string {
	return fmt.Sprintf("the page reloads itself all the time: it replaced %d documents in %s, each before it could be used; navigate elsewhere, or call again",
		e.Documents, e.During.Round(time.Second))
}

// Code is TIMEOUT.
func (*ReloadingError) Code() codes.Code { return codes.Timeout }

// Fields gives the number of documents.
func (e *ReloadingError) Fields() []fault.Field {
	return []fault.Field{{Name: "documents", Value: e.Documents}}
}

// Replacements counts the documents that were replaced while one call used them.
type Replacements struct {
	begun time.Time
	count int
}

// NewReplacements begins to count.
func NewReplacements() *Replacements { return &Replacements{begun: time.Now()} }

// Add counts a document. It returns a [ReloadingError] when the page is to be given up.
func (r *Replacements) Add() error {
	r.count++
	if during := time.Since(r.begun); r.count >= maxReplacements && during >= replacementTimeout {
		return &ReloadingError{Documents: r.count, During: during}
	}
	return nil
}

// UntilReloading returns a context that ends with a [ReloadingError] as its cause when the page
// replaces its document all the time. It suits a call that the browser answers only for a document
// that stays.
func (d *Document) UntilReloading(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		replaced := NewReplacements()
		for loader := d.Tracker.CommittedLoader(); ; {
			changed := d.Tracker.NextEvent()
			if now := d.Tracker.CommittedLoader(); now != loader {
				loader = now
				if err := replaced.Add(); err != nil {
					cancel(err)
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
