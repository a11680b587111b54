package run

import (
	"net/url"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// leads writes where something leads as identities do: "POST /cart", with the origin where it is not that of
// the page.
func (c *call) leads(method string, to *url.URL) string {
	origin := ""
	if !c.isAtOrigin(to) {
		origin = to.Scheme + "://" + to.Host
	}
	return method + " " + origin + to.EscapedPath()
}

// isAtOrigin reports whether an address has the origin of the page.
func (c *call) isAtOrigin(to *url.URL) bool {
	at, err := url.Parse(c.tab.URL())
	return err == nil && at.Scheme == to.Scheme && at.Host == to.Host
}

// leadsAsBefore reports whether an element leads where its identity says. The identity of an element in a
// frame leaves out the origin of the frame's document, which is not known here.
func (c *call) leadsAsBefore(id locate.Identity, method string, to *url.URL) bool {
	recorded, address, _ := strings.Cut(id.Leads, " ")
	was, err := url.Parse(address)
	if err != nil || recorded != method || pathShape(was) != pathShape(to) {
		return false
	}
	if was.Host == "" {
		return id.Frame != "" || c.isAtOrigin(to)
	}
	return was.Scheme == to.Scheme && was.Host == to.Host
}

// pathShape returns the path of an address with the parts that hold a digit alike, because records have other
// ids, and without escapes, which a value and a browser write in different ways.
func pathShape(u *url.URL) string {
	parts := strings.Split(strings.TrimSuffix(u.EscapedPath(), "/"), "/")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		if parts[i] = url.PathEscape(part); strings.ContainsAny(part, "0123456789") {
			parts[i] = "0"
		}
	}
	return strings.Join(parts, "/")
}
