package scope

import (
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Digest sums what a lock says, its log included: everything but the digest of the last entry,
// which is the one that holds it. It shows an edit by hand; who is set on forging a lock can
// compute it as well, and shows in the history.
func Digest(lock *spec.Lock) string {
	var doc [][]string
	for _, s := range lock.Scopes {
		doc = append(doc, []string{"scope", s.Name.Value})
		for _, t := range s.Tools {
			doc = append(doc, append([]string{"tool", t.Tool.Value, t.Schema.Value, t.Since.Value}, lockedTerms(t).words()...))
		}
	}
	for _, list := range []struct {
		key  string
		rows []spec.LockedDeferral
	}{{"deferred", lock.Deferred}, {"promoted", lock.Promoted}, {"dropped", lock.Dropped}} {
		for _, d := range list.rows {
			doc = append(doc, deferralWords(list.key, d))
		}
	}
	for _, r := range lock.Refusals {
		doc = append(doc, []string{"refusal", r.Code.Value, r.Terms.Value})
	}
	for _, l := range lock.Entries {
		doc = append(doc, entryWords(l))
	}
	if lock.List.Set() {
		doc = append(doc, []string{"list", lock.List.Value})
	}
	if r := lock.Released; r.Version.Set() {
		doc = append(doc, []string{"released", r.Version.Value, r.Record.Value})
	}
	for i, e := range lock.Log {
		entry := []string{"log", e.Date.Value, e.Who.Value, e.Why.Value}
		if i < len(lock.Log)-1 {
			entry = append(entry, e.Lock.Value)
		}
		doc = append(doc, entry)
	}
	return sum(doc)
}

// deferralWords lists a row for a digest. What a row from before lacks is left out.
func deferralWords(key string, d spec.LockedDeferral) []string {
	words := []string{key, d.Tool.Value, d.Scope.Value, d.Since.Value}
	if d.Surfaces != nil {
		words = append(append(words, "surfaces"), values(d.Surfaces)...)
	}
	if len(d.Tests) > 0 {
		words = append(append(words, "tests"), values(d.Tests)...)
	}
	return words
}

func values(texts []spec.Text) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = t.Value
	}
	return out
}

// checkEdited reports a lock that is not as freeze has written it.
func checkEdited(in Input, report diag.Report) {
	lock := in.Lock
	if lock.File == "" {
		return
	}
	const mend = "restore the file; to change a promise, change the manifest and run: go tool toolgen freeze --why \"…\""
	if len(lock.Log) == 0 {
		report(diag.Pos{File: lock.File}, "the lock has no log, so nobody has decided it").Hint = mend
		return
	}
	last := lock.Log[len(lock.Log)-1]
	if last.Lock.Value == Digest(lock) {
		return
	}
	at := last.Lock.Pos
	if at.IsZero() {
		at = last.Date.Pos
	}
	report(at, "the lock is not as freeze has written it").Hint = mend
}
