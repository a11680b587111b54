package policy

import (
	"context"
	_ "embed" // the policy that init prints
	"net"
	"net/netip"
	"time"
)

//go:embed example.yaml
var example []byte

// Example returns the policy that "callsheet policy init" prints.
func Example() []byte { return example }

// lookupTimeout bounds the resolution of a name for Explain.
const lookupTimeout = 5 * time.Second

// Question is a request whose decisions Explain lists.
type Question struct {
	URL, Tool string
	Workflow  string // instead of Tool
	Powers    []string
}

// Explanation is one decision with what it is about.
type Explanation struct {
	About string // such as "navigation" or "address 127.0.0.1"
	Decision
}

// Explain returns every decision about a request. It resolves the name of the host, as a browser
// would; addresses that cannot be resolved are left out.
func (p *Policy) Explain(ctx context.Context, q Question) (out []Explanation) {
	out = append(out,
		Explanation{"navigation", p.Navigation(q.URL)},
		Explanation{"subresource", p.Subresource(q.URL)})
	if t, ok := parseTarget(q.URL); ok && !t.opaque {
		for _, ip := range resolve(ctx, t.host) {
			out = append(out, Explanation{"address " + ip.String(), p.Address(ip)})
		}
	}
	c := Call{Tool: q.Tool, Powers: q.Powers, Origin: q.URL}
	switch {
	case q.Workflow != "":
		c.Tool, c.Workflow = q.Workflow, true
	case isServerTool(q.Tool):
		c.Origin = "" // it is about no document
	case q.Tool == "" && len(q.Powers) == 0:
		return out
	}
	return append(out, Explanation{"call", p.Call(c)})
}

// Unchecked names the facts about a call that are unknown before the server runs; "" for none.
func (q Question) Unchecked() string {
	switch {
	case q.Workflow != "":
		return "whether there is a workflow " + q.Workflow + " and which powers it uses is known when the server runs; each call of its steps is decided about, too"
	case isServerTool(q.Tool):
		return "whether there is a tool " + q.Tool + " is known when its server runs; decisions with a power or an origin match no call of it"
	}
	return ""
}

func resolve(ctx context.Context, host string) []netip.Addr {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host) // nothing is known of a name without addresses
	return found
}
