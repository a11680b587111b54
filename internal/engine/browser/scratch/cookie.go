package scratch

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/login/statefile"
)

// SavedCookie returns a cookie of the browser as a storage state has it.
func SavedCookie(c *network.Cookie) statefile.Cookie {
	out := statefile.Cookie{
		Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Expires: c.Expires,
		HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite.String(),
	}
	if out.SameSite == "" {
		out.SameSite = "Lax" // what browsers take it for, and the format has no other word
	}
	if c.Session {
		out.Expires = -1
	}
	if k := c.PartitionKey; k != nil {
		out.PartitionKey, out.CrossSiteAncestor = k.TopLevelSite, &k.HasCrossSiteAncestor
	}
	return out
}

// CookieParam returns a cookie of a storage state as the browser takes it.
func CookieParam(c statefile.Cookie) *network.CookieParam {
	out := &network.CookieParam{
		Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure,
		SameSite: network.CookieSameSite(c.SameSite),
	}
	if c.Expires > 0 {
		out.Expires = cdp.TimeSinceEpoch(c.Expires)
	}
	if c.PartitionKey != "" {
		ancestor := c.CrossSiteAncestor != nil && *c.CrossSiteAncestor
		if c.CrossSiteAncestor == nil { // a cookie of another site is set below a frame of that site
			ancestor = true
		}
		out.PartitionKey = &network.CookiePartitionKey{TopLevelSite: c.PartitionKey, HasCrossSiteAncestor: ancestor}
	}
	return out
}
