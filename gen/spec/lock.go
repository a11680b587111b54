package spec

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

// ParseLock reads the file of frozen scopes. The lock is nil when the file cannot be read at all.
func ParseLock(f File) (*Lock, diag.List) {
	var diags diag.List
	w, body := open(f, &diags)
	if body == nil {
		return nil, diags
	}
	lock := &Lock{File: f.Name}
	var v Scalar[int]
	rows := lockWalker{w}
	w.fields(body, "the lock", w.pos(body),
		field{"version", true, w.intoInt(&v)},
		field{"scopes", true, rows.lockedScopes(&lock.Scopes)},
		field{"deferred", false, rows.lockedDeferrals(&lock.Deferred)},
		field{"promoted", false, rows.lockedDeferrals(&lock.Promoted)},
		field{"dropped", false, rows.lockedDeferrals(&lock.Dropped)},
		field{"refusals", false, rows.lockedRefusals(&lock.Refusals)},
		field{"prompts", false, rows.lockedEntries("prompt", &lock.Entries)},
		field{"resources", false, rows.lockedEntries("resource", &lock.Entries)},
		field{"list", false, rows.lockedList(&lock.List)},
		field{"released", false, rows.lockedRelease(&lock.Released)},
		field{"remembered", false, w.intoText(&lock.Remembered)},
		field{"log", false, rows.log(&lock.Log)})
	if lock.Version = v.Value; v.Value != SignedRows {
		w.knownVersion(v)
	}
	return lock, diags
}

// SignedRows is the version of a lock whose rows have their decisions. Version 1 has a log instead.
const SignedRows = 2

// lockWalker reads the rows of a lock.
type lockWalker struct{ *walker }

// decided returns the fields of a row with those of its decision.
func (w lockWalker) decided(dst *Decision, fields ...field) []field {
	return append(fields, field{"date", false, w.intoText(&dst.Date)}, field{"who", false, w.intoText(&dst.Who)},
		field{"why", false, w.intoText(&dst.Why)}, field{"digest", false, w.intoText(&dst.Digest)})
}

// lockedList reads how lists are written: a text in version 1, a row otherwise.
func (w lockWalker) lockedList(dst *LockedList) func(member) {
	return func(m member) {
		if _, ok := m.value.(ast.ScalarNode); ok {
			w.intoText(&dst.Style)(m)
			return
		}
		w.fields(m.value, "the locked list", m.key.Pos, w.decided(&dst.Decided, field{"style", true, w.intoText(&dst.Style)})...)
	}
}

func (w lockWalker) lockedScopes(dst *[]LockedScope) func(member) {
	return w.each(func(m member) {
		s := LockedScope{Name: m.key}
		items, _ := w.items(m, "a list of tools")
		for _, n := range items {
			var t LockedTool
			w.fields(n, "a locked tool", w.pos(n), w.decided(&t.Decided,
				field{"tool", true, w.intoText(&t.Tool)},
				field{"schema", true, w.intoText(&t.Schema)},
				field{"since", true, w.intoText(&t.Since)},
				field{"tier", false, w.intoInt(&t.Tier)},
				field{"capability", false, w.intoText(&t.Capability)},
				field{"visible", false, w.intoText(&t.Visible)},
				field{"listed", false, w.intoText(&t.Listed)},
				field{"surfaces", false, w.intoTexts(&t.Surfaces)},
				field{"powers", false, w.intoText(&t.Powers)},
				field{"asks", false, w.intoTexts(&t.Asks)},
				field{"traits", false, w.intoText(&t.Traits)},
				field{"texts", false, w.intoText(&t.Texts)},
				field{"parameters", false, w.intoText(&t.Parameters)})...)
			s.Tools = append(s.Tools, t)
		}
		*dst = append(*dst, s)
	})
}

func (w lockWalker) lockedDeferrals(dst *[]LockedDeferral) func(member) {
	return func(m member) {
		items, _ := w.items(m, "a list of tools")
		for _, n := range items {
			var d LockedDeferral
			w.fields(n, "a locked deferral", w.pos(n), w.decided(&d.Decided,
				field{"tool", true, w.intoText(&d.Tool)},
				field{"scope", true, w.intoText(&d.Scope)},
				field{"since", true, w.intoText(&d.Since)},
				field{"surfaces", false, w.intoTexts(&d.Surfaces)},
				field{"tests", false, w.intoTexts(&d.Tests)})...)
			*dst = append(*dst, d)
		}
	}
}

func (w lockWalker) lockedRefusals(dst *[]LockedRefusal) func(member) {
	return func(m member) {
		items, _ := w.items(m, "a list of codes")
		for _, n := range items {
			var r LockedRefusal
			w.fields(n, "a locked code", w.pos(n), w.decided(&r.Decided,
				field{"code", true, w.intoText(&r.Code)},
				field{"terms", true, w.intoText(&r.Terms)})...)
			*dst = append(*dst, r)
		}
	}
}

func (w lockWalker) lockedEntries(kind string, dst *[]LockedEntry) func(member) {
	return func(m member) {
		items, _ := w.items(m, "a list of "+m.key.Value)
		for _, n := range items {
			e := LockedEntry{Kind: kind}
			w.fields(n, "a locked "+kind, w.pos(n), w.decided(&e.Decided,
				field{kind, true, w.intoText(&e.Name)},
				field{"scope", true, w.intoText(&e.Scope)},
				field{"since", true, w.intoText(&e.Since)},
				field{"contract", true, w.intoText(&e.Contract)},
				field{"capability", true, w.intoText(&e.Capability)},
				field{"visible", true, w.intoText(&e.Visible)},
				field{"texts", true, w.intoText(&e.Texts)})...)
			*dst = append(*dst, e)
		}
	}
}

func (w lockWalker) lockedRelease(dst *LockedRelease) func(member) {
	return func(m member) {
		w.fields(m.value, "the locked release", m.key.Pos, w.decided(&dst.Decided,
			field{"version", true, w.intoText(&dst.Version)},
			field{"record", true, w.intoText(&dst.Record)})...)
	}
}

// LogEntry is a write of an older lock; Lock is the digest of what was written.
type LogEntry struct{ Date, Who, Why, Lock Text }

func (w lockWalker) log(dst *[]LogEntry) func(member) {
	return func(m member) {
		var items []ast.Node
		items, _ = w.items(m, "a list")
		for _, n := range items {
			var e LogEntry
			w.fields(n, "a log entry", w.pos(n),
				field{"date", true, w.intoText(&e.Date)},
				field{"who", true, w.intoText(&e.Who)},
				field{"why", true, w.intoText(&e.Why)},
				field{"lock", false, w.intoText(&e.Lock)})
			*dst = append(*dst, e)
		}
	}
}
