package act

import (
	"context"
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// successors finds the elements of a call's refs again, where its own steps had the page draw or name them anew.
type successors struct {
	before map[string]place // by ref, when the call began
	known  *document.KnownNames
	acted  map[string]bool // refs of the steps that were made
}

// place is an element and where it stands.
type place struct {
	id   locate.Identity
	path string // of the landmarks, lists and dialogs around it
}

// remember keeps the names and places of the refs of later steps. A ref that does not hold yet is the matter of its step.
func (f *successors) remember(ctx context.Context, p *page.Page, steps []actapi.ActStepsItem) {
	refs := slicesx.Map(steps, func(s actapi.ActStepsItem) string { return s.Ref.Value })
	f.known = p.Document.KnownNames(refs)
	for _, s := range steps[1:] {
		if _, known := f.before[s.Ref.Value]; !s.Ref.Set || known {
			continue
		}
		if at, err := placeOf(ctx, p, s.Ref.Value); err == nil {
			f.before[s.Ref.Value] = at
		}
	}
}

func placeOf(ctx context.Context, p *page.Page, ref string) (place, error) {
	id, err := p.Locate.Identify(ctx, ref)
	if err != nil {
		return place{}, err
	}
	info, err := p.Document.Peek(ctx, ref)
	return place{id: id, path: info.Path}, err
}

// restore has the ref of a step stand for what it stood for when the call began. It returns an error where the element is
// in another row now: its name is as it was, and it is another's.
func (f *successors) restore(ctx context.Context, p *page.Page, ref string) error {
	if f.known == nil || ref == "" {
		return nil
	}
	f.known.Restore(ctx, ref)
	was := f.before[ref]
	if was.id.Label == "" || f.acted[ref] || len(f.acted) == 0 {
		return nil
	}
	if now, err := placeOf(ctx, p, ref); err == nil && now.id.Label != was.id.Label {
		return &document.StaleRefError{Ref: ref, Role: was.id.Role, Name: was.id.Name,
			Reason: fmt.Sprintf("it stood beside %q and stands beside %q now", was.id.Label, now.id.Label)}
	}
	return nil
}

// perform makes a step, with the only successor of an element that has gone.
func (f *successors) perform(ctx context.Context, p *page.Page, s step) (settle.Effect, error) {
	if !s.Ref.Set {
		return s.act(ctx, p)
	}
	effect, err := settle.Effect{}, f.restore(ctx, p, s.Ref.Value)
	if err == nil {
		effect, err = s.act(ctx, p)
	}
	if stale, ok := errors.AsType[*document.StaleRefError](err); ok {
		ref, found := f.find(ctx, p, s.Ref.Value, stale)
		if !found {
			return effect, err
		}
		was := s.Ref.Value
		s.Ref.Value = ref
		info, described := p.Document.Describe(ctx, ref)
		if described == nil && s.Action == actapi.ActStepsItemActionSet && info.Value == s.Value.Value {
			effect, err = settle.Effect{Element: &info.Element}, nil // the page took the value and drew the field with it
		} else {
			effect, err = s.act(ctx, p)
		}
		if err == nil {
			note := fmt.Sprintf("the page has drawn %s anew: it is %s now", was, ref)
			if was == ref {
				note = fmt.Sprintf("the name of %s has changed with an earlier step", ref)
			}
			effect.Changes = append([]string{note}, effect.Changes...)
		}
		f.acted[was] = true
	}
	f.acted[s.Ref.Value] = true
	if f.known != nil {
		f.known.Follow(ctx, s.Ref.Value)
	}
	return effect, err
}

// find returns the ref of the element that has the role and the place of a stale one, where there is exactly one.
func (f *successors) find(ctx context.Context, p *page.Page, ref string, stale *document.StaleRefError) (string, bool) {
	was, known := f.before[ref]
	if !known {
		return "", false
	}
	if len(stale.Candidates) > 0 && stale.Candidates[0].Ref == ref && f.acted[ref] { // a step gave it another name
		now := stale.Candidates[0]
		at, err := placeOf(ctx, p, ref)
		own := now.Name == was.id.Name || !f.known.IsMoved(ctx, ref, now.Role, now.Name)
		return ref, now.Role == was.id.Role && own && err == nil && at.path == was.path
	}
	id := was.id
	id.Ref = "" // it is another element's now
	found, err := p.Locate.Relocate(ctx, id)
	if err != nil || found.Role != was.id.Role || found.Name != was.id.Name {
		return "", false
	}
	at, err := placeOf(ctx, p, found.Ref)
	return found.Ref, err == nil && at.path == was.path && at.id.Document == was.id.Document
}
