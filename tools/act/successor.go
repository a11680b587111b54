package act

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// successors finds the elements of a call's refs again, where its own steps had the page draw or name them anew.
type successors struct {
	before map[string]place // by ref, when the call began
	acted  map[string]bool  // refs of the steps that were made
}

// place is an element and where it stands.
type place struct {
	id   locate.Identity
	path string // of the landmarks, lists and dialogs around it
}

// remember keeps the places of the refs of later steps. A ref that does not hold yet is the matter of its step.
func (f *successors) remember(ctx context.Context, p *page.Page, steps []step) {
	for _, s := range steps[1:] {
		if _, known := f.before[s.Ref]; s.Ref == "" || known {
			continue
		}
		if at, err := placeOf(ctx, p, s.Ref); err == nil {
			f.before[s.Ref] = at
		}
	}
}

func placeOf(ctx context.Context, p *page.Page, ref string) (place, error) {
	id, err := p.Locate.Identify(ctx, ref)
	if err != nil {
		return place{}, err
	}
	info, err := p.Document.Describe(ctx, ref)
	return place{id: id, path: info.Path}, err
}

// perform makes a step, with the only successor of an element that has gone.
func (f *successors) perform(ctx context.Context, p *page.Page, s step) (settle.Effect, error) {
	effect, err := performStep(ctx, p, s)
	if s.Ref == "" {
		return effect, err
	}
	if stale, ok := errors.AsType[*document.StaleRefError](err); ok {
		ref, found := f.find(ctx, p, s.Ref, stale)
		if !found {
			return effect, err
		}
		was := s.Ref
		s.Ref = ref
		info, described := p.Document.Describe(ctx, ref)
		if described == nil && s.Action == actapi.ActStepsItemActionSet && info.Value == s.Value {
			effect, err = settle.Effect{Element: &info.Element}, nil // the page took the value and drew the field with it
		} else {
			effect, err = performStep(ctx, p, s)
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
	f.acted[s.Ref] = true
	return effect, err
}

// find returns the ref of the element that has the role and the place of a stale one, where there is exactly one.
func (f *successors) find(ctx context.Context, p *page.Page, ref string, stale *document.StaleRefError) (string, bool) {
	was, known := f.before[ref]
	if !known {
		return "", false
	}
	if len(stale.Candidates) > 0 && stale.Candidates[0].Ref == ref { // the same element under another name
		now := stale.Candidates[0]
		renamed := now.Role == was.id.Role && (now.Name == was.id.Name || f.acted[ref] && grewFrom(was.id.Name, now.Name))
		at, err := placeOf(ctx, p, ref)
		return ref, renamed && err == nil && at.path == was.path && at.id.Label == was.id.Label
	}
	found, err := p.Locate.Relocate(ctx, was.id)
	if err != nil || found.Role != was.id.Role || found.Name != was.id.Name {
		return "", false
	}
	at, err := placeOf(ctx, p, found.Ref)
	return found.Ref, err == nil && at.path == was.path && at.id.Document == was.id.Document
}

// grewFrom reports that one name is the beginning of the other: Select, Selected.
func grewFrom(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}
