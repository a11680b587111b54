package run

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// place is an element or an output as the script of the page reads it.
type place struct {
	*Element

	Read      Read             `json:"read,omitempty"`
	Attribute string           `json:"attribute,omitempty"`
	List      bool             `json:"list,omitempty"`
	Members   map[string]place `json:"members,omitempty"`
}

// Observe observes every fact of the site on a tab; "" is the current one. On a page outside of the
// site's origins no fact holds.
func (r *Runner) Observe(ctx context.Context, tab string) (Facts, error) {
	_, t, err := r.Player.Set.Tab(ctx, tab)
	if err != nil {
		return nil, err
	}
	facts := Facts{}
	if !r.Site.covers(t.URL()) {
		for _, f := range r.Site.Facts {
			facts[f.Name] = false
		}
		return facts, nil
	}
	all := make([]*Observation, len(r.Site.Facts))
	for i := range r.Site.Facts {
		all[i] = fillObservation(&r.Site.Facts[i].Observe, r.Site.Values)
	}
	held, err := r.observeAll(ctx, t, all)
	if err != nil {
		return nil, err
	}
	for i, f := range r.Site.Facts {
		facts[f.Name] = held[i]
	}
	return facts, nil
}

// observeAll decides observations by one look at the page.
func (r *Runner) observeAll(ctx context.Context, t *browser.Tab, all []*Observation) ([]bool, error) {
	var places []json.RawMessage
	for _, o := range all {
		o.eachElement(func(e *Element) { places = append(places, encodePlace(place{Element: e, Read: ReadPresent})) })
	}
	values, err := readPlaces(ctx, t, places)
	if err != nil {
		return nil, err
	}
	shown := map[*Element]bool{}
	for _, o := range all {
		o.eachElement(func(e *Element) {
			shown[e] = values[0].Value != nil && *values[0].Value != "0"
			values = values[1:]
		})
	}
	return slicesx.List(all, func(o *Observation) bool { return o.holds(shown, t.URL()) }), nil
}

// eachElement calls visit for each element, in order.
func (o *Observation) eachElement(visit func(*Element)) {
	if o == nil {
		return
	}
	if o.Element != nil {
		visit(o.Element)
	}
	o.Not.eachElement(visit)
	for _, part := range slices.Concat(o.All, o.Any) {
		part.eachElement(visit)
	}
}

// holds decides an observation by the elements that are shown and the address.
func (o *Observation) holds(shown map[*Element]bool, address string) bool {
	held := func(part *Observation) bool { return part.holds(shown, address) }
	return (o.Element == nil || shown[o.Element]) && (o.URL == "" || matchURL(o.URL, address)) && (o.Not == nil || !held(o.Not)) &&
		!slices.ContainsFunc(o.All, func(part *Observation) bool { return !held(part) }) && (len(o.Any) == 0 || slices.ContainsFunc(o.Any, held))
}

// readPlaces reads places of a page. Without places it does not look at the page.
func readPlaces(ctx context.Context, t *browser.Tab, places []json.RawMessage) (values []read.SiteValue, err error) {
	if len(places) == 0 {
		return nil, nil
	}
	err = t.Do(ctx, func(ctx context.Context, p *page.Page) error {
		_, values, err = p.Read.SiteValues(ctx, places)
		return err
	})
	if err == nil && len(values) != len(places) {
		err = fmt.Errorf("the page answered for %d of %d places", len(values), len(places))
	}
	return values, err
}

func encodePlace(p place) json.RawMessage {
	data, _ := json.Marshal(p) // it consists of texts
	return data
}

// matchURL compares an address, as browsers write it, with a pattern of its path, or of the whole address. The
// query and the fragment count only where the pattern has them, and a slash at the end of the address does not.
// The script of package webmcpjs does the same.
func matchURL(pattern, address string) bool {
	place, fragment, _ := strings.Cut(address, "#")
	place, query, _ := strings.Cut(place, "?")
	scheme, rest, _ := strings.Cut(place, "://")
	host, path, hasPath := strings.Cut(rest, "/")
	text := ""
	if hasPath {
		text = "/" + path
	}
	if strings.Contains(pattern, "://") {
		text = scheme + "://" + host[strings.LastIndexByte(host, '@')+1:] + text
	}
	if strings.Contains(pattern, "?") {
		text += "?" + query
	}
	if strings.Contains(pattern, "#") {
		text += "#" + fragment
	}
	form := strings.NewReplacer(`\*\*`, ".*", `\*`, "[^/]*").Replace(regexp.QuoteMeta(pattern))
	whole, err := regexp.Compile("(?s)^(?:" + form + ")$")
	return err == nil && (whole.MatchString(text) || whole.MatchString(strings.TrimSuffix(text, "/")))
}

// covers reports whether an address is on an origin of the site. An empty page is on none.
func (s *Site) covers(address string) bool {
	origin := originOf(address)
	return origin != "" && slices.ContainsFunc(s.Origins, func(o string) bool { return originOf(o) == origin })
}

// address returns an absolute address on the site.
func (s *Site) address(text string) string {
	if u, err := url.Parse(text); len(s.Origins) == 0 || err == nil && u.Scheme != "" {
		return text
	}
	return strings.TrimSuffix(s.Origins[0], "/") + "/" + strings.TrimPrefix(text, "/")
}
