package gen

import (
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/emit/metadata"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/spec"
)

// Recorded are the two files that a release writes. Lock is nil where no scope is frozen.
type Recorded struct{ Record, Lock []byte }

// Release is the record of the set as a release, and the lock that knows it. It is held against the
// release before, unless that has the same version: then it is recorded anew, before anyone has got
// it. The entry needs no reason.
func Release(src Source, version string, entry scope.Entry) (Recorded, diag.List, error) {
	again := false
	if src.Released != nil {
		if was, err := breaking.Decode(src.Released.Data); err == nil {
			again = was.Version == version
		}
	}
	b, diags := inspect(src, !again)
	if diags = diags.Sorted(); diags.HasErrors() {
		return Recorded{}, diags, nil
	}
	surface := breaking.Record(b.set, version)
	text, err := surface.Encode()
	if err != nil {
		return Recorded{}, diags, fmt.Errorf("record release %s: %w", version, err)
	}
	out := Recorded{Record: text}
	if b.lock != nil {
		if b.lock.Released, err = lockedRelease(surface, src.Lock.Name); err != nil {
			return Recorded{}, diags, err
		}
		entry.Why = "release " + version
		if out.Lock, err = scope.Freeze(b.set, b.lock, entry); err != nil {
			return Recorded{}, diags, err
		}
	}
	return out, diags, nil
}

// unreleased is the version of a server that has had no release.
const unreleased = "0.0.0"

// releasedVersion is the version of the last release.
func releasedVersion(src Source) string {
	if src.Released == nil {
		return unreleased
	}
	was, err := breaking.Decode(src.Released.Data)
	if err != nil { // reported with the record
		return unreleased
	}
	return was.Version
}

// Metadata describes a version of the server to registries, package managers and clients; there are no
// files where the manifest has no section server.
func Metadata(src Source, version string) ([]output.File, diag.List, error) {
	set, diags := Lint(src)
	if set == nil {
		return nil, diags, nil
	}
	files, err := metadata.Emit(set, version)
	files = slices.DeleteFunc(files, func(f output.File) bool { return f.Path == metadata.EmbeddedFile })
	return files, diags, err
}

// lockedRelease returns the entry of a release in the lock: its version and the digest of its surface.
func lockedRelease(s breaking.Surface, file string) (spec.LockedRelease, error) {
	digest, err := s.Digest()
	if err != nil {
		return spec.LockedRelease{}, fmt.Errorf("record release %s: %w", s.Version, err)
	}
	text := func(value string) spec.Text {
		return spec.Text{Value: value, Pos: diag.Pos{File: file, Line: 1, Col: 1}}
	}
	return spec.LockedRelease{Version: text(s.Version), Record: text(digest)}, nil
}

// checkRecord holds the record of the last release against the lock, if there is one.
func checkRecord(src Source, lock *spec.Lock) diag.List {
	if lock == nil {
		return nil
	}
	return breaking.CheckRecord(lock.Released, src.Released)
}

// adoptRelease makes a lock from before it knew releases know the one that is recorded.
func adoptRelease(src Source, lock *spec.Lock) {
	if lock.Released.Version.Set() || src.Released == nil {
		return
	}
	was, err := breaking.Decode(src.Released.Data)
	if err != nil {
		return // every other run names it as a bad record
	}
	if known, err := lockedRelease(was, src.Released.Name); err == nil {
		lock.Released = known
	}
}
