// Package principals serves the protocol over HTTP to the holders of bearer tokens: each is a principal, and a token
// of the configuration file may limit the powers that the calls of its principal have.
//
// It must not know flags, nor where tokens stand; configfile does.
package principals

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/cli/configfile"
)

// operatorName is the principal of the one token that the command line or the environment has.
const operatorName = "auth-token"

// Tokens are the tokens that a server takes.
type Tokens struct {
	operator configfile.Digest // zero without one
	path     string            // of the file that has the others
	load     func() (map[string]configfile.Token, error)
	log      *slog.Logger

	mu       sync.Mutex
	file     os.FileInfo // when it was read; nil when there is none
	byDigest map[configfile.Digest]configfile.Token
}

// NewTokens returns the tokens of a file, which load reads at once and whenever the file has changed, and the operator's
// own, which may be "".
func NewTokens(operator, path string, load func() (map[string]configfile.Token, error), log *slog.Logger) (*Tokens, error) {
	t := &Tokens{path: path, load: load, log: log}
	if operator != "" {
		t.operator = sha256.Sum256([]byte(operator))
	}
	t.file, _ = os.Stat(path)
	return t, t.read()
}

// read reads the file. The caller holds mu.
func (t *Tokens) read() error {
	all, err := t.load()
	if err != nil {
		return err
	}
	t.byDigest = make(map[configfile.Digest]configfile.Token, len(all))
	for _, token := range all {
		t.byDigest[token.Digest] = token
	}
	return nil
}

// follow reads the file again if it has changed. A file with mistakes leaves the tokens as they are.
func (t *Tokens) follow() {
	now, err := os.Stat(t.path)
	switch {
	case err != nil && t.file == nil:
		return
	case err == nil && t.file != nil && os.SameFile(now, t.file) && now.ModTime().Equal(t.file.ModTime()) && now.Size() == t.file.Size():
		return
	case err != nil:
		now = nil
	}
	t.file = now
	if err := t.read(); err != nil {
		t.log.Error("the tokens stay as they were: the configuration file cannot be read", "error", err)
	}
}

// find returns the token of a text, or an error with which it is refused.
func (t *Tokens) find(text string) (configfile.Token, error) {
	digest := configfile.Digest(sha256.Sum256([]byte(text)))
	if text != "" && digest == t.operator {
		return configfile.Token{Name: operatorName}, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.follow()
	token, ok := t.byDigest[digest]
	switch {
	case !ok:
		return configfile.Token{}, errUnknown
	case !token.Expires.IsZero() && !time.Now().Before(token.Expires):
		return configfile.Token{}, mcpserver.ErrExpired
	}
	token.Name = "token " + token.Name // no name is that of the operator
	return token, nil
}

// Principal returns the principal of a token, for mcpserver.HTTPOptions.
func (t *Tokens) Principal(_ context.Context, text string) (string, error) {
	token, err := t.find(text)
	return token.Name, err
}

var errUnknown = errors.New("unknown token")

// powers returns the different limits of powers that the tokens have.
func (t *Tokens) powers() [][]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := [][]string{nil}
	for _, token := range t.byDigest {
		out = append(out, token.Powers)
	}
	return out
}

// count returns how many principals there are.
func (t *Tokens) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.byDigest)
	if t.operator != (configfile.Digest{}) {
		n++
	}
	return n
}

// Handler serves each principal by a server whose calls have the powers of its token alone.
type Handler struct {
	tokens *Tokens
	opt    mcpserver.HTTPOptions
	server func(powers []string) (*mcpserver.Server, error)

	mu      sync.Mutex
	servers map[string]*limited // by the key of their powers
}

// limited is a server of principals with the same powers.
type limited struct {
	server  *mcpserver.Server
	handler http.Handler
}

// NewHandler returns a handler, and an error where a token has an unknown power. Server makes the server of the calls
// that have these powers; nil stands for all.
func NewHandler(tokens *Tokens, opt mcpserver.HTTPOptions, server func(powers []string) (*mcpserver.Server, error)) (*Handler, error) {
	h := &Handler{tokens: tokens, opt: opt, server: server, servers: make(map[string]*limited)}
	for _, powers := range tokens.powers() {
		if _, err := h.limited(powers); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// key names a set of powers; "*" is all of them.
func key(powers []string) string {
	if powers == nil {
		return "*"
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(powers))), " ")
}

// limited returns the server of the calls that have these powers.
func (h *Handler) limited(powers []string) (*limited, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := key(powers)
	if l := h.servers[of]; l != nil {
		return l, nil
	}
	server, err := h.server(powers)
	if err != nil {
		return nil, err
	}
	opt := h.opt
	opt.Principals = h.tokens.count
	opt.Authenticate = func(_ context.Context, text string) (string, error) {
		token, err := h.tokens.find(text)
		if err == nil && key(token.Powers) != of { // they have changed since ServeHTTP looked
			err = errUnknown
		}
		return token.Name, err
	}
	l := &limited{server: server, handler: server.HTTPHandler(opt)}
	h.servers[of] = l
	return l, nil
}

// ServeHTTP serves a request by the server of its principal. Requests without a good token go to the one whose guard
// refuses them all, so that it counts them together.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, _ := h.tokens.find(httpserver.BearerToken(r))
	l, err := h.limited(token.Powers)
	if err != nil {
		h.tokens.log.Error("a token cannot be served", "name", token.Name, "error", err)
		http.Error(w, "the token has a power that this server does not know", http.StatusForbidden)
		return
	}
	l.handler.ServeHTTP(w, r)
}

// Close ends the sessions of every principal.
func (h *Handler) Close(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, l := range h.servers {
		errs = append(errs, l.server.Close(ctx))
	}
	return errors.Join(errs...)
}
