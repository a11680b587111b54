package scope

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// lockedRow is a row of the lock: what it says, and who decided it.
type lockedRow struct {
	words   []string
	decided spec.Decision
	pos     diag.Pos
}

// rowsOf lists the rows of a lock.
func rowsOf(lock *spec.Lock) []lockedRow {
	var out []lockedRow
	add := func(d spec.Decision, at diag.Pos, words ...string) { out = append(out, lockedRow{words, d, at}) }
	for _, s := range lock.Scopes {
		for _, t := range s.Tools {
			add(t.Decided, t.Tool.Pos, toolWords(s.Name.Value, t.Tool.Value, t.Schema.Value, t.Since.Value, lockedTerms(t))...)
		}
	}
	for _, list := range deferralLists(lock) {
		for _, d := range list.rows {
			add(d.Decided, d.Tool.Pos, deferralWords(list.key, d)...)
		}
	}
	for _, r := range lock.Declared {
		add(r.Decided, r.Name.Pos, declaredWords(r.Kind, r.Name.Value, r.Terms.Value)...)
	}
	for _, l := range lock.Entries {
		add(l.Decided, l.Name.Pos, entryWords(l)...)
	}
	if lock.List.Style.Set() {
		add(lock.List.Decided, lock.List.Style.Pos, "list", lock.List.Style.Value)
	}
	if r := lock.Released; r.Version.Set() {
		add(r.Decided, r.Version.Pos, "released", r.Version.Value, r.Record.Value)
	}
	return out
}

// deferralList is one of the three lists about tools that are or were deferred.
type deferralList struct {
	key  string
	rows []spec.LockedDeferral
}

func deferralLists(lock *spec.Lock) []deferralList {
	return []deferralList{{"deferred", lock.Deferred}, {"promoted", lock.Promoted}, {"dropped", lock.Dropped}}
}

// toolWords lists the row of a tool for a digest.
func toolWords(scope, tool, schema, since string, t terms) []string {
	return append([]string{"tool", scope, tool, schema, since}, t.words()...)
}

// sign sums a row with its decision. It shows an edit by hand; who is set on forging a lock can compute it as
// well, and shows in the history.
func sign(words []string, d spec.Decision) string {
	return sum([][]string{words, {d.Date.Value, d.Who.Value, d.Why.Value}})
}

// isSigned reports whether a row is as freeze has written it.
func (r lockedRow) isSigned() bool { return r.decided.Digest.Value == sign(r.words, r.decided) }

// subject names what the row is about.
func (r lockedRow) subject() string {
	if r.words[0] == "tool" { // the scope comes first
		return strconv.Quote(r.words[2])
	}
	return strconv.Quote(r.words[1])
}

// remember sums which tools are or were deferred, whether there was a release, and whether parts are signed: the manifest
// does not show that such a row is gone, and without it a tool passes the gate, or a change goes unnoticed.
func remember(lock *spec.Lock) string {
	var rows [][]string
	for _, list := range deferralLists(lock) {
		for _, d := range list.rows {
			rows = append(rows, []string{list.key, d.Tool.Value, d.Scope.Value})
		}
	}
	if lock.Released.Version.Set() {
		rows = append(rows, []string{"released"})
	}
	if slices.ContainsFunc(lock.Declared, func(l spec.LockedDeclared) bool { return l.Kind == kindPart }) {
		rows = append(rows, []string{"parts"})
	}
	if len(rows) == 0 {
		return ""
	}
	return sum(rows)
}

// logDigest sums what a lock with a log says: everything but the digest of the last entry, which is the one that
// holds it.
func logDigest(lock *spec.Lock) string {
	var doc [][]string
	for _, s := range lock.Scopes {
		doc = append(doc, []string{"scope", s.Name.Value})
		for _, t := range s.Tools {
			doc = append(doc, append([]string{"tool", t.Tool.Value, t.Schema.Value, t.Since.Value}, lockedTerms(t).words()...))
		}
	}
	rest := *lock
	rest.Scopes = nil
	for _, r := range rowsOf(&rest) {
		doc = append(doc, r.words)
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
	return slicesx.List(texts, func(t spec.Text) string { return t.Value })
}

// checkEdited reports rows that are not as freeze has written them.
func checkEdited(in Input, report diag.Report) {
	lock := in.Lock
	if lock.File == "" {
		return
	}
	const mend = "restore the file; to change a promise, change the manifest and run: go tool toolgen freeze --why \"…\""
	if lock.Version != spec.SignedRows {
		n := len(lock.Log)
		if n == 0 {
			report(diag.Pos{File: lock.File}, "the lock has no log, so nobody has decided it").Hint = mend
		} else if last := lock.Log[n-1]; last.Lock.Value != logDigest(lock) {
			report(cmp.Or(last.Lock.Pos, last.Date.Pos), "the lock is not as freeze has written it").Hint = mend
		}
		return
	}
	for _, r := range rowsOf(lock) {
		if !r.isSigned() {
			report(cmp.Or(r.decided.Digest.Pos, r.pos), "the row of %s is not as freeze has written it", r.subject()).Hint = mend
		}
	}
	if lock.Remembered.Value != remember(lock) {
		report(cmp.Or(lock.Remembered.Pos, diag.Pos{File: lock.File, Line: 1, Col: 1}), "the rows about deferred tools and the release are not those that freeze has written").Hint = mend
	}
}
