// Package imports makes tools of a site out of other descriptions of the site: the requests of an HTTP
// Archive, workflows, and tools that pages offer.
//
// A tool that a site cannot say, or that does not compile, is left out, with the reason. It must not know
// browsers, nor how a tool is run.
package imports

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Kind is the form of the imported file.
type Kind string

// The kinds of files.
const (
	HAR      Kind = "har"
	Workflow Kind = "workflow"
	WebMCP   Kind = "webmcp"
)

// Kinds lists the kinds, for messages.
func Kinds() []string {
	return []string{string(HAR), string(Workflow), string(WebMCP)}
}

// Options name the site, its files and the tools to import.
type Options struct {
	Kind    Kind   // "" recognises it by the data
	Data    []byte // the file
	File    string // its path
	Origins []string
}

// Omission is a part of an imported file that became no tool.
type Omission struct {
	What, Why string
	Count     int // how often it occurs
}

func (l Omission) String() string {
	if l.Count > 1 {
		return fmt.Sprintf("%s (%d times): %s", l.What, l.Count, l.Why)
	}
	return l.What + ": " + l.Why
}

// Result is the drafts that were made of a file, and the parts of it that became none.
type Result struct {
	Kind      Kind
	Drafts    []*Tool // sorted by name
	Omissions []Omission
}

// Read makes tools of a file.
func Read(o Options) (*Result, error) {
	if len(o.Origins) == 0 {
		return nil, errors.New("the site has no origins: write them in site.yaml")
	}
	if o.Kind == "" {
		o.Kind = recognise(o.Data)
	}
	out := &Result{Kind: o.Kind}
	var err error
	switch o.Kind {
	case HAR:
		err = out.har(o)
	case Workflow:
		err = out.workflows(o)
	case WebMCP:
		err = out.webMCP(o)
	default:
		return nil, fmt.Errorf("%s is of no kind that is known here: give --kind %s", o.File, strings.Join(Kinds(), ", "))
	}
	if err != nil {
		return nil, err
	}
	out.nameTools()
	return out, nil
}

// recognise returns the kind of a file by what it begins with; "" for an unknown one.
func recognise(data []byte) Kind {
	head := data[:min(len(data), 64<<10)]
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	isJSON := bytes.HasPrefix(trimmed, []byte("{"))
	switch {
	case isJSON && bytes.Contains(head, []byte(`"log"`)) && bytes.Contains(head, []byte(`"version"`)):
		return HAR
	case isJSON && bytes.Contains(head, []byte(`"origins"`)), bytes.HasPrefix(trimmed, []byte("[")) && bytes.Contains(head, []byte(`"handle"`)):
		return WebMCP
	case !isJSON && bytes.Contains(data, []byte("steps:")):
		return Workflow
	}
	return ""
}

// leave records a part of the file that became no tool.
func (r *Result) leave(what, why string) {
	if i := slices.IndexFunc(r.Omissions, func(l Omission) bool { return l.What == what && l.Why == why }); i >= 0 {
		r.Omissions[i].Count++
		return
	}
	r.Omissions = append(r.Omissions, Omission{what, why, 1})
}

// Drop leaves a tool out.
func (r *Result) Drop(name, why string) {
	r.Drafts = slices.DeleteFunc(r.Drafts, func(t *Tool) bool {
		if t.Name == name {
			r.leave(name+" ("+t.From+")", why)
		}
		return t.Name == name
	})
}

// nameTools sorts the tools and numbers those of one name.
func (r *Result) nameTools() {
	slices.SortStableFunc(r.Drafts, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	taken := map[string]bool{}
	for _, t := range r.Drafts {
		t.Name = unique(t.Name, taken)
	}
}

// unique returns a name that is not taken, and takes it.
func unique(name string, taken map[string]bool) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = fmt.Sprintf("%s_%d", name[:min(len(name), maxName-4)], n)
	}
	taken[out] = true
	return out
}

// originOf returns the origin of an address.
func originOf(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// pathAt returns how a request names a path: without the origin where it is the site's first.
func pathAt(origins []string, origin, path string) string {
	if strings.EqualFold(origin, origins[0]) {
		return path
	}
	return origin + path
}

func covers(origins []string, origin string) bool {
	return slices.ContainsFunc(origins, func(o string) bool { return strings.EqualFold(o, origin) })
}
