package breaking

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Digest sums a record, as far as this compiler reads it: spaces and line ends do not count.
func (s Surface) Digest() (string, error) {
	text, err := s.Encode()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:16], nil
}

// CheckRecord holds the record of the last release against what the lock knows of it. A lock from
// before it knew releases, or before the first one, says nothing.
func CheckRecord(locked spec.LockedRelease, file *spec.File) diag.List {
	if !locked.Version.Set() {
		return nil
	}
	var diags diag.List
	lost := func(at diag.Pos, format string, args ...any) {
		d := diags.Errorf(at, ruleLost, format, args...)
		d.Hint = "restore the file as it was recorded"
		d.Related = &diag.Related{Pos: locked.Record.Pos, Message: "release " + locked.Version.Value + " is recorded here"}
	}
	if file == nil {
		lost(locked.Version.Pos, "release %s was recorded, and its record is gone", locked.Version.Value)
		return diags
	}
	top := diag.Pos{File: file.Name, Line: 1, Col: 1}
	was, err := Decode(file.Data)
	if err != nil {
		return nil // reported as a bad record
	}
	if digest, err := was.Digest(); err != nil || digest != locked.Record.Value {
		lost(top, "this is not the record of release %s", locked.Version.Value)
	}
	return diags
}

// BadRelease is the diagnostic of a record that cannot be read.
func BadRelease(file string, err error) diag.List {
	var diags diag.List
	diags.Errorf(diag.Pos{File: file, Line: 1, Col: 1}, ruleBadReleased, "%v", err).Hint = "restore it, or run: go tool toolgen release VERSION"
	return diags
}

// LostLock reports a record of frozen scopes without the lock that signs it. A new lock would
// remember neither the record nor a deferral.
func LostLock(file spec.File, lock string) diag.List {
	was, err := Decode(file.Data)
	if err != nil || len(was.Tools) == 0 {
		return nil // a bad record is reported as one
	}
	var diags diag.List
	diags.Errorf(diag.Pos{File: file.Name, Line: 1, Col: 1}, ruleLost, "release %s is recorded here, and the lock that signs it is gone", was.Version).Hint =
		"restore " + lock
	return diags
}
