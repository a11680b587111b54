package enforce

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser/intercept"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/policy"
	"github.com/callsheet/callsheet/internal/policy/gateway"
)

// Config configures an Enforcer. Only Policy is required.
type Config struct {
	Policy *policy.Policy
	// SharedSession returns the session of the default browser context.
	SharedSession func() string
	// Document returns the document that a call is about.
	Document func(call *toolkit.Call, args []byte) Document
	// Describe returns the arguments of a call for a person, without secrets.
	Describe func(tool *toolkit.Tool, args []byte) string
	// Journal receives every decision that is not a plain default.
	Journal func(Entry)
	// Logger receives what no caller learns; nil discards it.
	Logger *slog.Logger
}

// Document is a document of a tab. The zero value is no document.
type Document struct {
	Tab, URL string
	// Tool names the tool of the document that is called, and About says what the document says of it, for a
	// person; "" for other calls.
	Tool, About string
	// Err refuses a call whose document is unknown.
	Err error
}

// Entry is one decision, or several equal ones.
type Entry struct {
	Session string
	At      time.Time
	Verdict policy.Verdict
	Kind    string // navigation, subresource, connection, call or limit
	Target  string // an origin, an endpoint or a tool
	Rule    string
	Count   int
}

// The kinds of requests that pages make.
const (
	kindNavigation  = "navigation"
	kindSubresource = "subresource"
	kindConnection  = "connection"
	kindCall        = "call"
	kindLimit       = "limit"
)

// Enforcer asks a policy for the browser, for dialers of this process and in the path of calls. It
// implements intercept.Guard.
type Enforcer struct {
	cfg      Config
	policy   *policy.Policy
	gateway  *gateway.Gateway // nil without a policy file
	sessions *sessions
	reviewer Reviewer // nil for none

	unjournalled sync.Mutex // held while decisions are written, so that their order is kept
}

var _ intercept.Guard = (*Enforcer)(nil)

// New returns an enforcer.
func New(cfg Config) *Enforcer {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	e := &Enforcer{cfg: cfg, policy: cfg.Policy, sessions: newSessions()}
	if cfg.Policy.File != "" {
		e.gateway = gateway.New(cfg.Policy, e.onRefusedConnection, cfg.Logger)
	}
	return e
}

// SetDocument sets how the document of a call is found. It is called before the first call.
func (e *Enforcer) SetDocument(of func(call *toolkit.Call, args []byte) Document) {
	e.cfg.Document = of
}

// SetJournal sets where decisions are written. It is called before the first call.
func (e *Enforcer) SetJournal(journal func(Entry)) { e.cfg.Journal = journal }

// Policy returns the policy.
func (e *Enforcer) Policy() *policy.Policy { return e.policy }

// Close ends the connections' listeners and writes what is not in the journal yet.
func (e *Enforcer) Close() {
	if e.gateway != nil {
		e.gateway.Close()
	}
	for _, id := range e.sessions.ids() {
		e.flush(id)
	}
}

// EndSession forgets a session: what a person allowed it, and what it has used up.
func (e *Enforcer) EndSession(id string) {
	e.flush(id)
	e.sessions.end(id)
	if e.gateway != nil {
		e.gateway.End(id)
	}
}

// Switches returns the switches of browsers. Without a policy file they block the names and
// addresses of the default, which costs nothing; connections are then made by the browser itself.
func (e *Enforcer) Switches() []string {
	var out []string
	if rules := e.policy.ResolverRules(); rules != "" {
		out = append(out, "--host-resolver-rules="+rules)
	}
	if e.policy.RestrictsOrigins() || e.policy.RestrictsNetworks() {
		// WebRTC sends datagrams to addresses that no proxy sees.
		out = append(out, "--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--webrtc-ip-handling-policy=disable_non_proxied_udp")
	}
	return out
}

// Proxy returns the gateway of a session.
func (e *Enforcer) Proxy(session string) (string, error) {
	if e.gateway == nil {
		return "", nil
	}
	return e.gateway.Address(session)
}

// CheckAttach returns the error of attaching to a browser that was launched elsewhere, or nil.
func (e *Enforcer) CheckAttach() error {
	return denied("attaching to a browser that was launched elsewhere", e.policy.Attach())
}

// CheckNavigation returns the error of loading an address for a call, or nil.
func (e *Enforcer) CheckNavigation(session, address string) error {
	d := e.policy.Navigation(address)
	e.note(session, kindNavigation, policy.Origin(address), d)
	return denied("loading "+clip(address), d)
}

// CheckFetch is CheckNavigation for requests that this process makes itself.
func (e *Enforcer) CheckFetch(address string) error { return e.CheckNavigation("", address) }

// InterceptsRequests reports whether a list restricts what pages load.
func (e *Enforcer) InterceptsRequests() bool { return e.policy.RestrictsOrigins() }

// AllowRequest reports whether a page may send a request.
func (e *Enforcer) AllowRequest(r intercept.PageRequest) bool {
	kind, d := kindSubresource, policy.Decision{}
	if r.Document {
		kind, d = kindNavigation, e.policy.Navigation(r.URL)
	} else {
		d = e.policy.Subresource(r.URL)
	}
	if d.Verdict == policy.Allow {
		return true // an ordinary page has hundreds of them
	}
	e.note(r.Session, kind, policy.Origin(r.URL), d)
	if r.MainFrame {
		e.sessions.of(e.name(r.Session)).refuseDocument(r.Tab, policy.Origin(r.URL), d)
	}
	return false
}

// AllowWindow reports whether a page may open one more window.
func (e *Enforcer) AllowWindow(session string, open int) bool {
	limits := e.policy.Limits()
	state := e.sessions.of(e.name(session))
	if n := limits.WindowsPerSession; n > 0 && open >= n {
		e.note(session, kindLimit, "window", limitDecision(e.policy, "windows_per_session"))
		return false
	}
	if n := limits.WindowsPerAction; n > 0 && !state.takeWindow(n) {
		e.note(session, kindLimit, "window", limitDecision(e.policy, "windows_per_action"))
		return false
	}
	return true
}

func (e *Enforcer) onRefusedConnection(session, endpoint string, d policy.Decision) {
	e.note(session, kindConnection, endpoint, d)
	e.sessions.of(e.name(session)).refuseConnection(endpoint, d)
}

// name returns the session that a browser context belongs to.
func (e *Enforcer) name(session string) string {
	if session == "" && e.cfg.SharedSession != nil {
		return e.cfg.SharedSession()
	}
	return session
}

// note counts a decision for the journal, unless it is a plain default that allows.
func (e *Enforcer) note(session, kind, target string, d policy.Decision) {
	if d.Verdict == policy.Allow && d.Rule.IsDefault() {
		return
	}
	e.sessions.of(e.name(session)).note(Entry{Kind: kind, Target: target, Verdict: d.Verdict, Rule: d.Rule.String()})
}

// flush writes the decisions about a session to the journal.
func (e *Enforcer) flush(session string) {
	if e.cfg.Journal == nil {
		return
	}
	e.unjournalled.Lock()
	defer e.unjournalled.Unlock()
	for _, entry := range e.sessions.of(session).takeNotes() {
		entry.Session, entry.At = session, time.Now()
		e.cfg.Journal(entry)
	}
}

// denied returns the error of a decision, or nil.
func denied(what string, d policy.Decision) error {
	if d.Verdict == policy.Allow {
		return nil
	}
	return &gateway.DeniedError{What: what, Decision: d}
}

func limitDecision(p *policy.Policy, key string) policy.Decision {
	return policy.Decision{Verdict: policy.Deny, Rule: p.Limits().Rule(key), Remedy: fmt.Sprintf("raise limits.%s in %s", key, p.File)}
}

// clip shortens an address to what fits into a sentence, without its user info.
func clip(address string) string {
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		end := strings.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		if i := strings.LastIndexByte(rest[:end], '@'); i >= 0 {
			address = scheme + "://" + rest[i+1:]
		}
	}
	if len(address) > 200 {
		return strings.ToValidUTF8(address[:200], "") + "…"
	}
	return address
}
