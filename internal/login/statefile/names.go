package statefile

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// OriginNames lists the origins of the storage, and the domains of cookies that no origin has as its
// host. It is sorted and has no values.
func (s State) OriginNames() []string {
	names, hosts := map[string]bool{}, map[string]bool{}
	for _, o := range s.Origins {
		names[o.Origin] = true
		if u, err := url.Parse(o.Origin); err == nil {
			hosts[u.Hostname()] = true
		}
	}
	for _, c := range s.Cookies {
		if domain := strings.TrimPrefix(c.Domain, "."); !hosts[domain] {
			names[domain] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
