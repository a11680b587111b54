package read

import (
	"fmt"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// StaleContinuationError says that the reading of a continuation handle is no longer kept.
type StaleContinuationError struct{ Handle, Reason string }

func (e *StaleContinuationError) Error() string {
	return fmt.Sprintf("cannot continue reading at %q: %s; read again", e.Handle, e.Reason)
}

// Code is NOT_FOUND.
func (*StaleContinuationError) Code() codes.Code { return codes.NotFound }

// StaleSnapshotError says that a click names another snapshot than the latest one of the tab.
type StaleSnapshotError struct {
	ID string
	// Latest is the ID of the latest snapshot; "" when the tab has none.
	Latest string
}

func (e *StaleSnapshotError) Error() string {
	if e.Latest == "" {
		return fmt.Sprintf("snapshot %q is not of this tab", e.ID)
	}
	return fmt.Sprintf("snapshot %q is not the latest one of this tab", e.ID)
}

// Code is STALE_REF.
func (*StaleSnapshotError) Code() codes.Code { return codes.StaleRef }

// Fields names the snapshot.
func (e *StaleSnapshotError) Fields() []fault.Field {
	return []fault.Field{{Name: "snapshotId", Value: e.ID}}
}
