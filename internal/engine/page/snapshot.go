package page

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"maps"
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
		Reading: reading, elements: maps.Clone(p.refs.entries),
	}
	return p.snapshot, nil
}

// sigil precedes the refs of snapshots.
const sigil = "@"

// ClickSnapshot clicks an element of the latest snapshot. It fails with a [StaleSnapshotError] if
// another snapshot is the latest, and with a [StaleRefError] if the element left the page or
// changed its role or name.
func (p *Page) ClickSnapshot(ctx context.Context, snapshot, ref string, o ClickOptions) (Effect, error) {
	if snapshot != p.snapshot.ID || snapshot == "" {
		return Effect{}, &StaleSnapshotError{ID: snapshot, Latest: p.snapshot.ID}
	}
	n := refNumber(ref)
	was, shown := p.snapshot.elements[n]
	if !shown {
		return Effect{}, &StaleRefError{Ref: ref, Reason: "the snapshot does not show it"}
	}
	_, err := p.Describe(ctx, ref)
	// An error makes the document record the new name, so the next call would pass. The snapshot
	// keeps the old one.
	if now := p.refs.entries[n]; err == nil && now != was {
		err = &StaleRefError{Reason: fmt.Sprintf("it is %s %q now", now.role, now.name)}
	}
	var out Effect
	if err == nil {
		out, err = p.Click(ctx, Target{Ref: ref}, o)
	}
	var stale *StaleRefError
	if errors.As(err, &stale) { // candidates are no part of the snapshot
		return Effect{}, &StaleRefError{Ref: ref, Role: was.role, Name: was.name, Reason: stale.Reason}
	}
	if out.Element != nil {
		out.Element.Ref = sigil + out.Element.Ref
	}
	return out, err
}
