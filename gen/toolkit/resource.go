package toolkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit/uritemplate"
)

// Resource is one row of the generated table of resources: one address, or with Template all
// addresses of a template.
type Resource struct {
	Entry
	URI       string                // "" for a template
	Template  *uritemplate.Template // nil for one address
	Variables []Argument            // of the template
	MIME      string                // of contents that state none
	Subscribe bool                  // clients can subscribe to updates

	// Read runs the handler. Vars has a value for each variable. An error that is fs.ErrNotExist says
	// that there is no resource of that address.
	Read func(ctx context.Context, call *Call, uri string, vars Arguments) (Contents, error)
}

// Contents is the contents of a resource: Data when it is not nil, and else Text.
type Contents struct {
	URI  string // the address that was read; filled in by dispatch
	MIME string // "" is that of the row
	Text string
	Data []byte
	Ask  *Ask // a question instead of contents; only where the client repeats requests
}

// errAbsent is the error of a resource that is not there.
var errAbsent = fs.ErrNotExist

// match returns the variables of an address; false when the row is not for it.
func (r *Resource) match(uri string) (Arguments, bool) {
	if r.Template == nil {
		return nil, r.URI == uri
	}
	vars, ok := r.Template.Match(uri)
	for _, v := range r.Variables {
		ok = ok && v.takes(vars[v.Name])
	}
	return vars, ok
}

// Resources reports whether the surface has any resource or template.
func (s *Surface) Resources() bool { return s.table().resources.Len() > 0 }

// Subscribable reports whether clients can subscribe to any resource.
func (s *Surface) Subscribable() bool {
	t := s.table()
	for i := range t.reg.Resources {
		if t.resources.Has(i) && t.reg.Resources[i].Subscribe {
			return true
		}
	}
	return false
}

// VisibleResources is the set of resources and templates that the session sees now.
func (v *Session) VisibleResources() Set {
	t, facts, static := v.now()
	return visibleEntries(t.resources, len(t.reg.Resources), facts, static, func(i int) *Entry { return &t.reg.Resources[i].Entry })
}

// ResourceEntries lists the definitions of the resources that the session sees now, or with templates
// those of templates.
func (v *Session) ResourceEntries(templates bool) []string {
	var out []string
	set, rows := v.VisibleResources(), v.surface.table().reg.Resources
	for i := range rows {
		if set.Has(i) && (rows[i].Template != nil) == templates {
			out = append(out, rows[i].Definition)
		}
	}
	return out
}

// findResource finds the row of an address: the one with that address before templates.
func (v *Session) findResource(uri string) (*Resource, Arguments, error) {
	t, facts, _ := v.now()
	for _, templated := range []bool{false, true} {
		for i := range t.reg.Resources {
			r := &t.reg.Resources[i]
			if !t.resources.Has(i) || (r.Template != nil) != templated {
				continue
			}
			if vars, ok := r.match(uri); ok {
				return r, vars, r.guard("resource", facts)
			}
		}
	}
	return nil, nil, errAbsent
}

// ReadResource runs the handler of a resource under its deadline. Of req, Tool and Args are not used.
// The error is fs.ErrNotExist where the registry has no resource of that address, and else as of
// GetPrompt.
func (v *Session) ReadResource(ctx context.Context, uri string, req Request) (Contents, error) {
	r, vars, err := v.findResource(uri)
	if err != nil {
		return Contents{}, err
	}
	c, err := serveEntry(ctx, v, &r.Entry, req, func(ctx context.Context, call *Call) (Contents, error) { return r.Read(ctx, call, uri, vars) })
	if ask := (*Ask)(nil); errors.As(err, &ask) {
		return Contents{Ask: ask}, nil
	}
	if errors.Is(err, errAbsent) {
		err = errAbsent
	}
	c.URI, c.MIME = uri, cmp.Or(c.MIME, r.MIME)
	return c, err
}

// CanSubscribe returns nil where the session can subscribe to updates of a resource, and else a
// *ProtocolError that says why not.
func (v *Session) CanSubscribe(uri string) error {
	r, _, err := v.findResource(uri)
	switch {
	case errors.Is(err, errAbsent):
		return &ProtocolError{Code: codeInvalidParams, Message: "resource not found", Data: map[string]any{"uri": strings.ToValidUTF8(uri, "\uFFFD")}}
	case err == nil && !r.Subscribe:
		return InvalidParams(fmt.Sprintf("the resource %q has no updates to subscribe to", r.Name))
	}
	return err
}

// OnResourceUpdate has f called for each update of a resource.
func (s *Surface) OnResourceUpdate(f func(uri string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resourceUpdated = append(s.resourceUpdated, f)
}

// ResourceUpdated says that another reading of a resource gives other contents. Every client that
// has subscribed to the address gets a notification.
func (s *Surface) ResourceUpdated(uri string) {
	s.mu.Lock()
	listeners := slices.Clone(s.resourceUpdated)
	s.mu.Unlock()
	for _, f := range listeners {
		f(uri)
	}
}

// WithPrompts returns a registry that holds prompts made at start-up beside the generated ones. A
// name that is taken is an error.
func (r *Registry) WithPrompts(rows ...Prompt) (*Registry, error) {
	composed := *r
	out := &composed
	out.Prompts = slices.Clone(r.Prompts)
	for _, row := range rows {
		if slices.ContainsFunc(out.Prompts, func(p Prompt) bool { return p.Name == row.Name }) {
			return nil, fmt.Errorf("there is a prompt %q already", row.Name)
		}
		out.Prompts = append(out.Prompts, row)
	}
	slices.SortFunc(out.Prompts, func(a, b Prompt) int { return cmp.Compare(a.Name, b.Name) })
	return out.Index(), nil
}

// JoinPrompts joins the prompts of areas and sorts them by name. It is for generated code.
func JoinPrompts(areas ...[]Prompt) []Prompt {
	return joined(areas, func(p Prompt) string { return p.Name })
}

// JoinResources joins the resources of areas and sorts them by name. It is for generated code.
func JoinResources(areas ...[]Resource) []Resource {
	return joined(areas, func(r Resource) string { return r.Name })
}

func joined[T any](areas [][]T, name func(T) string) []T {
	out := slices.Concat(areas...)
	slices.SortFunc(out, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return out
}
