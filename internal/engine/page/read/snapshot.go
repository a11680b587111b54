package read

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Snapshot is a reading with an ID. Its refs are written "@e12", and it keeps the role and name of
// each.
type Snapshot struct {
	// ID is unique among all tabs and documents, so that a click can never
	// mean an element of another page by the same number.
	ID string
	Reading
	elements map[int]document.RefEntry
}

// Snapshot reads the page like [Reader.Page] and records the elements of its refs. Only the latest
// snapshot counts.
func (rd *Reader) Snapshot(ctx context.Context, o Options) (Snapshot, error) {
	o.sigil = Sigil
	reading, err := rd.Page(ctx, o)
	if err != nil {
		return Snapshot{}, err
	}
	var random [5]byte
	_, _ = rand.Read(random[:]) // never fails
	rd.snapshot = Snapshot{
		ID:      "s" + strings.ToLower(base32.StdEncoding.EncodeToString(random[:])),
		Reading: reading, elements: rd.doc.Refs.All(),
	}
	return rd.snapshot, nil
}

// Sigil precedes the refs of snapshots.
const Sigil = "@"

// CheckSnapshot makes sure that the element of a ref is as the latest snapshot shows it. It fails with a
// [StaleSnapshotError] if another snapshot is the latest, and with a [document.StaleRefError] if the element left
// the page or changed its role or name.
func (rd *Reader) CheckSnapshot(ctx context.Context, snapshot, ref string) error {
	if snapshot != rd.snapshot.ID || snapshot == "" {
		return &StaleSnapshotError{ID: snapshot, Latest: rd.snapshot.ID}
	}
	was, shown := rd.snapshot.elements[document.RefNumber(ref)]
	if !shown {
		return &document.StaleRefError{Ref: ref, Reason: "the snapshot does not show it"}
	}
	_, err := rd.doc.Describe(ctx, ref)
	// An error makes the document record the new name, so the next call would pass. The snapshot
	// keeps the old one.
	if now := rd.doc.Refs.Entry(ref); err == nil && now != was {
		err = &document.StaleRefError{Reason: fmt.Sprintf("it is %s %q now", now.Role, now.Name)}
	}
	return rd.SnapshotError(ref, err)
}

// SnapshotError describes a stale element as the latest snapshot shows it, without the candidates, which
// are no part of the snapshot. Other errors pass through.
func (rd *Reader) SnapshotError(ref string, err error) error {
	if stale, ok := errors.AsType[*document.StaleRefError](err); ok {
		was := rd.snapshot.elements[document.RefNumber(ref)]
		return &document.StaleRefError{Ref: ref, Role: was.Role, Name: was.Name, Reason: stale.Reason}
	}
	return err
}
