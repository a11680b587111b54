package gateway

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/proxy"

	"github.com/callsheet/callsheet/internal/policy"
)

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	f := policy.Parse("p.yaml", []byte(text), policy.Vocabulary{})
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	return f.Policy
}

// start returns a client that connects through a gateway, and the rules that refused connections.
func start(t *testing.T, p *policy.Policy, names map[string][]string) (*http.Client, func() []string) {
	t.Helper()
	var mu sync.Mutex
	var refused []string
	g := New(p, func(session, endpoint string, d policy.Decision) {
		mu.Lock()
		defer mu.Unlock()
		refused = append(refused, session+" "+endpoint+" "+d.Rule.String())
	}, slog.New(slog.DiscardHandler))
	g.dialer.Resolver = serveNames(t, names)
	t.Cleanup(g.Close)
	address, err := g.Address("s")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	dial, err := proxy.FromURL(u, proxy.Direct)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: dial.(proxy.ContextDialer).DialContext, DisableKeepAlives: true}
	return &http.Client{Transport: transport}, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return refused
	}
}

// serveNames is a name server that gives each name its addresses in turn, and the last one for ever.
func serveNames(t *testing.T, names map[string][]string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.Authoritative, m.Additionals = true, true, nil
			left := names[strings.TrimSuffix(q.Name.String(), ".")]
			if len(left) > 0 && q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class},
					Body: &dnsmessage.AResource{A: netip.MustParseAddr(left[0]).As4()}}}
				if len(left) > 1 {
					names[strings.TrimSuffix(q.Name.String(), ".")] = left[1:]
				}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// TestReboundNamesAreRefused has a name answer with an allowed address first and with another one
// later, as an attacker's name server does.
func TestReboundNamesAreRefused(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached") }))
	t.Cleanup(site.Close)
	_, port, err := net.SplitHostPort(site.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"169.254.169.254", "100.100.100.200", "10.0.0.1", "127.0.0.2"} {
		client, refused := start(t, parse(t, "version: 1\nnetworks: {block_private: true, loopback: block, except: [127.0.0.1]}\n"),
			map[string][]string{"evil.example": {"127.0.0.1", target}})
		get := func() error {
			res, err := client.Get("http://evil.example:" + port + "/")
			if err == nil {
				_ = res.Body.Close()
			}
			return err
		}
		if err := get(); err != nil {
			t.Fatalf("the first answer is allowed: %v", err)
		}
		if err := get(); err == nil {
			t.Errorf("%s was connected to", target)
		}
		if got := refused(); len(got) != 1 || !strings.HasPrefix(got[0], "s evil.example:"+port) {
			t.Errorf("%s: %q", target, got)
		}
	}
}

// TestEndpointsAreHeldAgainstTheLists connects to hosts that no request of a page named.
func TestEndpointsAreHeldAgainstTheLists(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached") }))
	t.Cleanup(site.Close)
	_, port, err := net.SplitHostPort(site.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	client, refused := start(t, parse(t, "version: 1\norigins: {allow: ['http://bank.localhost:*']}\n"), nil)
	for host, want := range map[string]bool{"bank.localhost": true, "BANK.localhost.": true, "evil.localhost": false, "127.0.0.1": false, "[::1]": false} {
		res, err := client.Get("http://" + host + ":" + port + "/")
		if err == nil {
			_ = res.Body.Close()
		}
		if (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
	}
	if got := refused(); len(got) != 3 || !strings.Contains(got[0], "p.yaml:2: origins.allow") {
		t.Errorf("%q", got)
	}
}

// TestOwnRequestsAreChecked sends requests of this process to a redirect and to a blocked address.
func TestOwnRequestsAreChecked(t *testing.T) {
	t.Parallel()
	var checked []string
	rt := Transport(policy.Default(), &http.Transport{}, func(address string) error {
		checked = append(checked, address)
		return nil // the address looks harmless: only the dialer sees where it leads
	})
	site := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound))
	t.Cleanup(site.Close)
	res, err := (&http.Client{Transport: rt}).Get(site.URL)
	if err == nil {
		_ = res.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "address 169.254.169.254 is refused by the operator's policy") || len(checked) != 2 {
		t.Errorf("%v, %q", err, checked)
	}
}

// TestOtherProtocolsAreDropped writes what is no request of the proxy.
func TestOtherProtocolsAreDropped(t *testing.T) {
	t.Parallel()
	g := New(policy.Default(), nil, slog.New(slog.DiscardHandler))
	t.Cleanup(g.Close)
	address, err := g.Address("s")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", "\x05\x01\x00\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50", "\x04", "\x05\x01\x00\x05\x01\x00\x09abc"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(address, "socks5://"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.(*net.TCPConn).CloseWrite()
		got, _ := io.ReadAll(conn) // a reset is an end, too
		if len(got) > 2 {
			t.Errorf("%q is answered with %q", text, got)
		}
		_ = conn.Close()
	}
}
