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
	w.Fields(body, "the lock", w.Pos(body),
		required("version", w.IntoInt(&v)),
		required("scopes", rows.lockedScopes(&lock.Scopes)),
		optional("deferred", rows.lockedDeferrals(&lock.Deferred)),
		optional("promoted", rows.lockedDeferrals(&lock.Promoted)),
		optional("dropped", rows.lockedDeferrals(&lock.Dropped)),
		optional("refusals", rows.lockedDeclared("code", &lock.Declared)),
		optional("parts", rows.lockedDeclared("part", &lock.Declared)),
		optional("prompts", rows.lockedEntries("prompt", &lock.Entries)),
		optional("resources", rows.lockedEntries("resource", &lock.Entries)),
		optional("list", rows.lockedList(&lock.List)),
		optional("released", rows.lockedRelease(&lock.Released)),
		optional("remembered", w.IntoText(&lock.Remembered)),
		optional("log", rows.log(&lock.Log)))
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
	return append(fields, optional("date", w.IntoText(&dst.Date)), optional("who", w.IntoText(&dst.Who)),
		optional("why", w.IntoText(&dst.Why)), optional("digest", w.IntoText(&dst.Digest)))
}

// lockedList reads how lists are written: a text in version 1, a row otherwise.
func (w lockWalker) lockedList(dst *LockedList) func(member) {
	return func(m member) {
		if _, ok := m.Value.(ast.ScalarNode); ok {
			w.IntoText(&dst.Style)(m)
			return
		}
		w.Fields(m.Value, "the locked list", m.Key.Pos, w.decided(&dst.Decided, required("style", w.IntoText(&dst.Style)))...)
	}
}

func (w lockWalker) lockedScopes(dst *[]LockedScope) func(member) {
	return w.Each(func(m member) {
		s := LockedScope{Name: m.Key}
		items, _ := w.Items(m, "a list of tools")
		for _, n := range items {
			var t LockedTool
			w.Fields(n, "a locked tool", w.Pos(n), w.decided(&t.Decided,
				required("tool", w.IntoText(&t.Tool)),
				required("schema", w.IntoText(&t.Schema)),
				required("since", w.IntoText(&t.Since)),
				optional("tier", w.IntoInt(&t.Tier)),
				optional("capability", w.IntoText(&t.Capability)),
				optional("visible", w.IntoText(&t.Visible)),
				optional("listed", w.IntoText(&t.Listed)),
				optional("joins", w.IntoText(&t.Joins)),
				optional("also", w.IntoText(&t.Also)),
				optional("surfaces", w.IntoTexts(&t.Surfaces)),
				optional("powers", w.IntoText(&t.Powers)),
				optional("asks", w.IntoTexts(&t.Asks)),
				optional("traits", w.IntoText(&t.Traits)),
				optional("texts", w.IntoText(&t.Texts)),
				optional("parameters", w.IntoText(&t.Parameters)))...)
			s.Tools = append(s.Tools, t)
		}
		*dst = append(*dst, s)
	})
}

func (w lockWalker) lockedDeferrals(dst *[]LockedDeferral) func(member) {
	return func(m member) {
		items, _ := w.Items(m, "a list of tools")
		for _, n := range items {
			var d LockedDeferral
			w.Fields(n, "a locked deferral", w.Pos(n), w.decided(&d.Decided,
				required("tool", w.IntoText(&d.Tool)),
				required("scope", w.IntoText(&d.Scope)),
				required("since", w.IntoText(&d.Since)),
				optional("surfaces", w.IntoTexts(&d.Surfaces)),
				optional("tests", w.IntoTexts(&d.Tests)))...)
			*dst = append(*dst, d)
		}
	}
}

func (w lockWalker) lockedDeclared(kind string, dst *[]LockedDeclared) func(member) {
	return func(m member) {
		items, _ := w.Items(m, "a list of "+m.Key.Value)
		for _, n := range items {
			r := LockedDeclared{Kind: kind}
			w.Fields(n, "a locked "+kind, w.Pos(n), w.decided(&r.Decided,
				required(kind, w.IntoText(&r.Name)),
				required("terms", w.IntoText(&r.Terms)))...)
			*dst = append(*dst, r)
		}
	}
}

func (w lockWalker) lockedEntries(kind string, dst *[]LockedEntry) func(member) {
	return func(m member) {
		items, _ := w.Items(m, "a list of "+m.Key.Value)
		for _, n := range items {
			e := LockedEntry{Kind: kind}
			w.Fields(n, "a locked "+kind, w.Pos(n), w.decided(&e.Decided,
				required(kind, w.IntoText(&e.Name)),
				required("scope", w.IntoText(&e.Scope)),
				required("since", w.IntoText(&e.Since)),
				required("contract", w.IntoText(&e.Contract)),
				required("capability", w.IntoText(&e.Capability)),
				required("visible", w.IntoText(&e.Visible)),
				required("texts", w.IntoText(&e.Texts)))...)
			*dst = append(*dst, e)
		}
	}
}

func (w lockWalker) lockedRelease(dst *LockedRelease) func(member) {
	return func(m member) {
		w.Fields(m.Value, "the locked release", m.Key.Pos, w.decided(&dst.Decided,
			required("version", w.IntoText(&dst.Version)),
			required("record", w.IntoText(&dst.Record)))...)
	}
}

// LogEntry is a write of an older lock; Lock is the digest of what was written.
type LogEntry struct{ Date, Who, Why, Lock Text }

func (w lockWalker) log(dst *[]LogEntry) func(member) {
	return func(m member) {
		var items []ast.Node
		items, _ = w.Items(m, "a list")
		for _, n := range items {
			var e LogEntry
			w.Fields(n, "a log entry", w.Pos(n),
				required("date", w.IntoText(&e.Date)),
				required("who", w.IntoText(&e.Who)),
				required("why", w.IntoText(&e.Why)),
				optional("lock", w.IntoText(&e.Lock)))
			*dst = append(*dst, e)
		}
	}
}
