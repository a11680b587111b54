package document

import (
	"context"
	"fmt"
	"strings"
)

// KnownNames are the roles and names under which the caller of several steps knows its refs. A step may have the page
// use an element for something else, under a name that the caller has not seen.
type KnownNames struct {
	doc   *Document
	names map[string]RefEntry
	// all are all refs as they were, where the steps name one of them twice; else nil.
	all map[int]RefEntry
}

// KnownNames keeps the present names of the refs of several steps; "" is none.
func (d *Document) KnownNames(refs []string) *KnownNames {
	k := &KnownNames{doc: d, names: map[string]RefEntry{}}
	for _, ref := range refs {
		base, _, _ := strings.Cut(ref, "/")
		if k.names[base] != (RefEntry{}) && k.all == nil {
			k.all = d.Refs.All()
		}
		k.names[base] = d.Refs.Entry(base)
	}
	return k
}

// Restore makes a ref stand for its element under the name that the caller knows, and under no other: what was shown
// meanwhile was not shown to the caller. An error leaves the ref to the step.
func (k *KnownNames) Restore(ctx context.Context, ref string) {
	ref, _, _ = strings.Cut(ref, "/")
	was, now := k.names[ref], k.doc.Refs.Entry(ref)
	if was.Name == now.Name && was.Role == now.Role || was == (RefEntry{}) || now == (RefEntry{}) {
		return
	}
	if _, err := k.doc.EvaluateRef(ctx, ref, "rename", map[string]any{"role": was.Role, "name": was.Name}, nil); err == nil {
		now.Role, now.Name = was.Role, was.Name
		k.doc.Refs.entries[RefNumber(ref)] = now
	}
}

// Follow takes over the name that the element of a step has got by it, unless the page uses the element for another now.
func (k *KnownNames) Follow(ctx context.Context, ref string) {
	if now := k.doc.Refs.Entry(ref); k.names[ref] != (RefEntry{}) && now.Name != k.names[ref].Name && !k.IsMoved(ctx, ref, now.Role, now.Name) {
		k.names[ref] = now
	}
}

// IsMoved reports that another element had the name that a ref's element has now, and has it no longer.
func (k *KnownNames) IsMoved(ctx context.Context, ref, role, name string) bool {
	for n, e := range k.all {
		if e.Role != role || e.Name != name || n == RefNumber(ref) {
			continue
		}
		if info, err := k.doc.Peek(ctx, fmt.Sprintf("e%d", n)); err != nil || info.Role != role || info.Name != name {
			return true
		}
	}
	return false
}
