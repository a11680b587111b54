package network

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spelling"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	cdpnetwork "github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/children"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
)

// ruleLimit is the most rules of a tab.
const ruleLimit = 100

// Credentials answer HTTP authentication challenges.
type Credentials struct {
	Username, Password string
	// Origin is the origin they are sent to. "" is the origin of the page, whichever it is, but no
	// embedded origin.
	Origin string
}

// Interceptor holds the rules and credentials of one tab. Its methods are safe for concurrent use.
type Interceptor struct {
	tab *browser.Tab

	editMu      sync.Mutex // held while rules or credentials change
	unsubscribe []func()   // ends the subscriptions; nil without rules and credentials

	mu            sync.Mutex
	rules         []*Rule // copied on write
	credentials   *Credentials
	lastID        int
	authenticated map[fetch.RequestID]bool // requests that were sent credentials
}

type interceptorKey struct{}

// InterceptorOf returns the tab's interceptor.
func InterceptorOf(tab *browser.Tab) *Interceptor {
	return tab.Instruments.Get(interceptorKey{}, func() any {
		i := &Interceptor{tab: tab, authenticated: make(map[fetch.RequestID]bool)}
		tab.Scripts.AddSource(i.scriptSource)
		return i
	}).(*Interceptor)
}

// scriptSource says that rules of the caller decide what documents of the tab hold.
func (i *Interceptor) scriptSource() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range i.rules {
		if r.replacesContent() {
			return "rule " + r.ID + " replaces what sites send to this tab; remove it, load the document anew and type again"
		}
	}
	return ""
}

// Add appends a rule and returns its description. An error leaves the rules unchanged.
func (i *Interceptor) Add(ctx context.Context, n power.Network, script power.Script, r Rule) (string, error) {
	if err := n.Check(); err != nil {
		return "", err
	}
	if r.Action != Block && r.Action != Delay { // what a page then loads can be script of the caller
		if err := script.Check(); err != nil {
			return "", err
		}
	}
	if err := r.validate(); err != nil {
		return "", err
	}
	if r.replacesContent() {
		if err := i.tab.Scripts.Begin(ctx); err != nil {
			return "", err
		}
	}
	var description string
	return description, i.edit(ctx, func() error {
		if len(i.rules) >= ruleLimit {
			return fault.Invalid("the tab has %d rules, and cannot have more; remove some", ruleLimit)
		}
		i.lastID++
		r.ID = "r" + strconv.Itoa(i.lastID)
		i.rules = append(slices.Clone(i.rules), &r)
		description = r.String()
		return nil
	})
}

// Remove removes a rule. Requests that it delays continue.
func (i *Interceptor) Remove(ctx context.Context, id string) error {
	return i.edit(ctx, func() error {
		at := slices.IndexFunc(i.rules, func(r *Rule) bool { return r.ID == id })
		if at < 0 {
			known := slicesx.List(i.rules, func(r *Rule) string { return r.ID })
			return unknownRule(id, known)
		}
		close(i.rules[at].removed)
		i.rules = slices.Delete(slices.Clone(i.rules), at, at+1)
		return nil
	})
}

// Clear removes all rules and returns their number.
func (i *Interceptor) Clear(ctx context.Context) (n int, err error) {
	err = i.edit(ctx, func() error {
		n = len(i.rules)
		for _, r := range i.rules {
			close(r.removed)
		}
		i.rules = nil
		return nil
	})
	return n, err
}

// List describes the rules in their order.
func (i *Interceptor) List() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slicesx.List(i.rules, func(r *Rule) string { return r.String() })
}

// Origin returns the origin of an address, as browsers write it.
func Origin(address string) (string, error) {
	if !isHTTP(address) {
		return "", fault.Invalid("%q is no origin; give one such as https://example.com", text.ClipRunes(address, 80))
	}
	return originOf(address), nil
}

// SetCredentials replaces the credentials.
func (i *Interceptor) SetCredentials(ctx context.Context, n power.Network, c Credentials) (err error) {
	if err := n.Check(); err != nil {
		return err
	}
	if c.Origin != "" {
		if c.Origin, err = Origin(c.Origin); err != nil {
			return err
		}
	}
	_, err = i.replaceCredentials(ctx, &c)
	return err
}

// ClearCredentials removes the credentials and reports whether the tab had any.
func (i *Interceptor) ClearCredentials(ctx context.Context) (had bool, err error) {
	return i.replaceCredentials(ctx, nil)
}

func (i *Interceptor) replaceCredentials(ctx context.Context, c *Credentials) (had bool, err error) {
	err = i.edit(ctx, func() error {
		had = i.credentials != nil
		i.credentials = c
		clear(i.authenticated)
		return nil
	})
	return had, err
}

// edit applies change and updates the browser. If the browser refuses, edit restores the rules and
// credentials.
func (i *Interceptor) edit(ctx context.Context, change func() error) error {
	session, err := i.tab.Protocol(ctx)
	if err != nil {
		return err
	}
	i.editMu.Lock()
	defer i.editMu.Unlock()
	if i.scriptSource() != "" {
		_ = i.tab.Scripts.Begin(ctx)     // the document may hold what a rule put there
		defer i.emptyCache(ctx, session) // and so may what the browser keeps in memory of its resources
	}
	i.mu.Lock()
	rules, credentials := i.rules, i.credentials
	err = change()
	i.mu.Unlock()
	if err != nil {
		return err
	}
	if err := i.updateBrowser(ctx, session); err != nil {
		i.mu.Lock()
		if len(i.rules) > len(rules) || credentials == nil {
			i.rules, i.credentials = rules, credentials // a removal is not undone
		}
		i.mu.Unlock()
		return fmt.Errorf("intercept requests: %w", err)
	}
	if i.AppliesToPopups() {
		i.tab.Instruments.HoldPopups(ctx)
	}
	return nil
}

// emptyCache has the browser forget the resources that it keeps in memory. It uses no cache while that is disabled.
func (i *Interceptor) emptyCache(ctx context.Context, session cdp.Session) {
	for _, disabled := range []bool{true, false} {
		_ = call(ctx, session, cdpnetwork.SetCacheDisabled, cdpnetwork.SetCacheDisabledParams{CacheDisabled: disabled}) // fails only for a tab that has gone
	}
}

// updateBrowser enables, updates or disables CDP's Fetch domain in the tab and its children. The
// caller holds editMu.
func (i *Interceptor) updateBrowser(ctx context.Context, session cdp.Session) error {
	params, needed := i.enableParams()
	switch {
	case !needed:
		if i.unsubscribe == nil {
			return nil
		}
		err := call(ctx, session, fetch.Disable, cdp.Empty{})
		i.tab.Children.Each(ctx, func(ctx context.Context, child *children.Session) {
			_ = call(ctx, child, fetch.Disable, cdp.Empty{}) // fails for workers, which have no Fetch domain
		})
		for _, stop := range i.unsubscribe {
			stop()
		}
		i.unsubscribe = nil
		return err
	case i.unsubscribe == nil:
		i.unsubscribe = []func(){i.tab.Listen(func(ev any) { i.observe(session, ev) })}
		if err := call(ctx, session, fetch.Enable, params); err != nil {
			i.stopListening()
			return err
		}
		stop, err := i.tab.Children.HandleIn(ctx, session, &children.Handler{
			Attach: func(ctx context.Context, c *children.Session) {
				params, _ := i.enableParams()
				_ = call(ctx, c, fetch.Enable, params) // fails for workers: the page's session reports their requests
			},
			Event: func(c *children.Session, ev any) { i.observe(c, ev) },
		})
		if err != nil {
			i.stopListening()
			return errors.Join(err, call(ctx, session, fetch.Disable, cdp.Empty{}))
		}
		i.unsubscribe = append(i.unsubscribe, stop)
		return nil
	}
	i.tab.Children.Each(ctx, func(ctx context.Context, child *children.Session) {
		_ = call(ctx, child, fetch.Enable, params)
	})
	return call(ctx, session, fetch.Enable, params)
}

func (i *Interceptor) stopListening() {
	for _, stop := range i.unsubscribe {
		stop()
	}
	i.unsubscribe = nil
}

// enableParams returns the parameters of Fetch.enable and whether it is needed. The patterns pause
// no more requests than the rules need. Credentials need every request, because Fetch reports
// challenges only of requests that it pauses.
func (i *Interceptor) enableParams() (fetch.EnableParams, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	yes := true
	params := fetch.EnableParams{HandleAuthRequests: &yes}
	if i.credentials != nil {
		params.Patterns = []*fetch.RequestPattern{{URLPattern: "*"}}
		return params, true
	}
	for _, r := range i.rules {
		params.Patterns = append(params.Patterns, &fetch.RequestPattern{URLPattern: r.matcher.pattern})
	}
	return params, len(i.rules) > 0
}

// observe handles an event on the goroutine that reads events, and starts goroutines for handlers
// that wait.
func (i *Interceptor) observe(session cdp.Session, event any) {
	switch ev := event.(type) {
	case *fetch.EventRequestPaused:
		go i.handleRequest(session, ev)
	case *fetch.EventAuthRequired:
		go i.answerAuthChallenge(session, ev)
	}
}

// commandTimeout bounds the commands that answer one event. A paused debugger or a busy machine may
// delay them.
const commandTimeout = 30 * time.Second

func (i *Interceptor) answerAuthChallenge(session cdp.Session, ev *fetch.EventAuthRequired) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	response := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseDefault}
	if i.tab.IsHeadless() { // the browser's default is a dialog, for which the request would wait
		response.Response = fetch.AuthChallengeResponseResponseCancelAuth
	}
	i.mu.Lock()
	c := i.credentials
	rejected := i.authenticated[ev.RequestID]
	if c != nil && i.credentialsApply(c, ev) {
		if rejected { // the server refused these credentials
			response.Response = fetch.AuthChallengeResponseResponseCancelAuth
			delete(i.authenticated, ev.RequestID)
		} else {
			response = &fetch.AuthChallengeResponse{
				Response: fetch.AuthChallengeResponseResponseProvideCredentials,
				Username: c.Username, Password: c.Password,
			}
			if len(i.authenticated) > 1000 {
				clear(i.authenticated)
			}
			i.authenticated[ev.RequestID] = true
		}
	}
	i.mu.Unlock()
	_ = call(ctx, session, fetch.ContinueWithAuth, fetch.ContinueWithAuthParams{
		RequestID: ev.RequestID, AuthChallengeResponse: response,
	})
}

// credentialsApply reports whether credentials answer a challenge. Proxies get none. A frame of
// another origin gets only credentials for its origin.
func (i *Interceptor) credentialsApply(c *Credentials, ev *fetch.EventAuthRequired) bool {
	if ev.AuthChallenge.Source == fetch.AuthChallengeSourceProxy {
		return false
	}
	origin := originOf(ev.AuthChallenge.Origin)
	if c.Origin != "" {
		return origin == c.Origin
	}
	isDocument := i.tab.Document.IsMainFrame(ev.FrameID) && resourceTypeName(ev.ResourceType) == "document"
	return isDocument || origin == originOf(i.tab.URL())
}

// unknownRule returns the error of an id that names none of the tab's rules.
func unknownRule(id string, known []string) error {
	message := fmt.Sprintf("no rule %q", id)
	if nearest := spelling.Nearest(id, known); nearest != "" {
		message += fmt.Sprintf(", did you mean %q?", nearest)
	}
	if len(known) == 0 {
		return fault.Errorf(codes.NotFound, "%s: the tab has none", message).With("rules", known)
	}
	return fault.Errorf(codes.NotFound, "%s; there are %s", message, strings.Join(known, ", ")).With("rules", known)
}
