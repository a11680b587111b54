package page

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
)

// Snapshot is a reading with an ID. Its refs are written "@e12", and it keeps the role and name of
// each.
type Snapshot struct {
	// ID is unique among all tabs and documents, so that a click can never
	// mean an element of another page by the same number.
	ID string
	Reading
	elements map[int]refEntry
}

// Snapshot reads the page like [Page.Read] and records the elements of its refs. Only the latest
// snapshot counts.
func (p *Page) Snapshot(ctx context.Context, o ReadOptions) (Snapshot, error) {
	o.sigil = sigil
	reading, err := p.Read(ctx, o)
	if err != nil {
		return Snapshot{}, err
	}
	var random [5]byte
	_, _ = rand.Read(random[:]) // never fails
	p.snapshot = Snapshot{
		ID:      "s" + strings.ToLower(base32.StdEncoding.EncodeToString(random[:])),
		Reading: reading, elements: p.refs.all(),
	}
	return p.snapshot, nil
}

// sigil precedes the refs of snapshots.
const sigil = "@"

// checkSnapshot makes sure that the element of a ref is as the latest snapshot shows it. It fails with a
// [StaleSnapshotError] if another snapshot is the latest, and with a [StaleRefError] if the element left
// the page or changed its role or name.
func (p *Page) checkSnapshot(ctx context.Context, snapshot, ref string) error {
	if snapshot != p.snapshot.ID || snapshot == "" {
		return &StaleSnapshotError{ID: snapshot, Latest: p.snapshot.ID}
	}
	was, shown := p.snapshot.elements[refNumber(ref)]
	if !shown {
		return &StaleRefError{Ref: ref, Reason: "the snapshot does not show it"}
	}
	_, err := p.Describe(ctx, ref)
	// An error makes the document record the new name, so the next call would pass. The snapshot
	// keeps the old one.
	if now := p.refs.entry(ref); err == nil && now != was {
		err = &StaleRefError{Reason: fmt.Sprintf("it is %s %q now", now.role, now.name)}
	}
	return p.snapshotError(ref, err)
}

// snapshotError describes a stale element as the latest snapshot shows it, without the candidates, which
// are no part of the snapshot. Other errors pass through.
func (p *Page) snapshotError(ref string, err error) error {
	if stale, ok := errors.AsType[*StaleRefError](err); ok {
		was := p.snapshot.elements[refNumber(ref)]
		return &StaleRefError{Ref: ref, Role: was.role, Name: was.name, Reason: stale.Reason}
	}
	return err
}
