package mcpserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/time/rate"

	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
)

// guard decides, for every method, whether a request may reach the server: a web page that
// somebody views must not drive this one, neither directly (Origin) nor through a name that it rebinds to
// this machine (Host).
type guard struct {
	authenticate func(ctx context.Context, token string) (principal string, err error) // nil when no token is demanded
	hosts        []string
	next         http.Handler
	log          *slog.Logger
	failures     failures
}

// Guard passes on the requests that HTTPHandler serves, to a page beside the protocol.
func Guard(opt HTTPOptions, log *slog.Logger, next http.Handler) http.Handler {
	return newGuard(opt, log, next)
}

func newGuard(opt HTTPOptions, log *slog.Logger, next http.Handler) *guard {
	g := &guard{authenticate: opt.Authenticate, hosts: opt.AllowedHosts, next: next, log: log}
	if g.authenticate == nil && opt.AuthToken != "" {
		g.authenticate = oneToken(opt.AuthToken)
	}
	return g
}

// oneToken authenticates by the one token that is taken. It compares digests, so that neither the time it
// takes nor the length tells anything about the token.
func oneToken(taken string) func(context.Context, string) (string, error) {
	want, principal := sha256.Sum256([]byte(taken)), tokenPrincipal(taken)
	return func(_ context.Context, token string) (string, error) {
		if sum := sha256.Sum256([]byte(token)); subtle.ConstantTimeCompare(sum[:], want[:]) != 1 {
			return "", nil
		}
		return principal, nil
	}
}

// ServeHTTP refuses or passes on.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !g.knownHost(httpserver.Hostname(r.Host)):
		refuse(w, http.StatusForbidden, jsonrpc.CodeInvalidRequest, "this server does not answer to the request's Host")
	case !g.knownOrigin(r.Header.Values("Origin")):
		refuse(w, http.StatusForbidden, jsonrpc.CodeInvalidRequest, "this server does not serve pages of the request's Origin")
	case !g.knownSite(r.Header):
		refuse(w, http.StatusForbidden, jsonrpc.CodeInvalidRequest, "this server does not serve pages: the request's Sec-Fetch-Site says that a page caused it")
	case g.authenticate == nil:
		g.next.ServeHTTP(w, r)
	default:
		g.demandToken(w, r)
	}
}

// demandToken passes on a request with a token, together with the token's principal.
func (g *guard) demandToken(w http.ResponseWriter, r *http.Request) {
	token := httpserver.BearerToken(r)
	if token == "" {
		g.unauthorized(w, r, "missing", "Bearer", "is missing: send it as Authorization: Bearer TOKEN")
		return
	}
	principal, err := g.authenticate(r.Context(), token)
	switch {
	case errors.Is(err, ErrExpired):
		g.unauthorized(w, r, "expired", `Bearer error="invalid_token", error_description="expired"`, "has expired: ask the operator for another one")
	case principal == "" || err != nil:
		g.unauthorized(w, r, "wrong", `Bearer error="invalid_token"`, "is wrong")
	default:
		g.next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, principal)))
	}
}

// unauthorized logs a request without a good token, and answers it after a while where the address has sent many.
func (g *guard) unauthorized(w http.ResponseWriter, r *http.Request, reason, challenge, problem string) {
	g.log.Warn("authentication failed", "address", g.failures.wait(r.Context(), r), "reason", reason+" token")
	w.Header().Set("WWW-Authenticate", challenge)
	refuse(w, http.StatusUnauthorized, jsonrpc.CodeInvalidRequest, "the bearer token "+problem)
}

func (g *guard) knownHost(host string) bool {
	return httpserver.Hosts{Allowed: g.hosts, Addresses: g.authenticate != nil}.Knows(host)
}

// knownOrigin accepts requests without an Origin, which user agents never send across sites. "null"
// has no host.
func (g *guard) knownOrigin(origins []string) bool {
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || !httpserver.IsLoopback(u.Hostname()) && !slices.Contains(g.hosts, u.Hostname()) {
			return false
		}
	}
	return true
}

// knownSite accepts requests that no page caused, and those of pages whose host the
// operator has allowed by name. User agents set Sec-Fetch-Site, and pages cannot change it.
func (g *guard) knownSite(header http.Header) bool {
	for _, site := range header.Values("Sec-Fetch-Site") {
		origin, err := url.Parse(header.Get("Origin"))
		if site != "none" && (err != nil || !slices.Contains(g.hosts, origin.Hostname())) {
			return false
		}
	}
	return true
}

// refuse answers an HTTP request with a JSON-RPC error of no request.
func refuse(w http.ResponseWriter, status, code int, message string) {
	refuseRequest(w, status, nil, &jsonrpc.Error{Code: int64(code), Message: message})
}

type rejected struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   jsonrpc.Error   `json:"error"`
}

func rejection(id json.RawMessage, code int, message string) rejected {
	return rejected{Version: "2.0", ID: id, Error: jsonrpc.Error{Code: int64(code), Message: message}}
}

// The limits of requests without a good token from one address: freeFailures at once, one more a second after that, and the answer to each
// further one waits for its turn, at most maxFailureDelay. Addresses are forgotten when there are maxFailingAddresses.
const (
	freeFailures        = 10
	maxFailureDelay     = 2 * time.Second
	maxFailingAddresses = 1024
)

// failures delays clients that guess tokens. A request with the right token never waits.
type failures struct {
	mu   sync.Mutex
	from map[string]*rate.Limiter // by address
}

// wait returns when a request without a good token may be answered, and the address that it came from.
func (f *failures) wait(ctx context.Context, r *http.Request) (address string) {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr
	}
	timer := time.NewTimer(min(f.limiter(address).Reserve().Delay(), maxFailureDelay))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return address
}

func (f *failures) limiter(address string) *rate.Limiter {
	f.mu.Lock()
	defer f.mu.Unlock()
	limit := f.from[address]
	if limit == nil {
		if f.from == nil || len(f.from) >= maxFailingAddresses {
			f.from = make(map[string]*rate.Limiter)
		}
		limit = rate.NewLimiter(rate.Every(time.Second), freeFailures)
		f.from[address] = limit
	}
	return limit
}
