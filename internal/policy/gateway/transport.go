package gateway

import (
	"net"
	"net/http"
	"time"

	"github.com/callsheet/callsheet/internal/policy"
)

// Transport makes a transport of this process obey a policy: check refuses addresses, of redirects
// too, and no connection is made to an address that p refuses. It changes t.
func Transport(p *policy.Policy, t *http.Transport, check func(address string) error) http.RoundTripper {
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: Control(p)}).DialContext
	return &checkedTransport{next: t, check: check}
}

type checkedTransport struct {
	next  http.RoundTripper
	check func(address string) error
}

// RoundTrip sends a request whose address the policy allows.
func (c *checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := c.check(req.URL.String()); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // a transport closes the body whatever happens
		}
		return nil, err
	}
	return c.next.RoundTrip(req)
}
