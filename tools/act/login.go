package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/result"
)

const (
	passwordFields = `input[type=password]:not([autocomplete=new-password])`
	codeFields     = `input[autocomplete=one-time-code], input[name*=otp i], input[id*=otp i], input[name*=totp i], input[name*=code i][inputmode=numeric]`
	userFields     = `input[autocomplete~=username], input[type=email], input[autocomplete=email], ` +
		`form:has(input[type=password]) input:is(:not([type]), [type=text], [type=tel]), ` +
		`input:is(:not([type]), [type=text], [type=tel]):is([name*=user i], [name*=login i], [name*=email i], [id*=user i], [id*=login i], [id*=email i])`
	// loginWait bounds the wait for a field, or for the outcome, of one page of a login.
	loginWait = 5 * time.Second
	// loginRest is the time for which a page without fields for a login has to stay so.
	loginRest = time.Second
	// maxLoginPages is the number of pages that ask one after the other: for the user, the password, the code.
	maxLoginPages = 4
)

// signIn is a login that goes on.
type signIn struct {
	run    run
	login  secret.Login
	code   string // reference to the one-time code
	expect *contract.Contract
	redact func(string) string
	filled map[string]bool // selectors whose field was filled
}

// Login signs in by a name of the operator's secrets.
func (t *Tools) Login(ctx context.Context, call *toolkit.Call, in actapi.LoginParams, powers actapi.LoginPowers) (toolkit.Result, error) {
	s := signIn{redact: t.vault.Redact, filled: map[string]bool{}}
	s.run = run{call: call, values: map[string]string{}, refs: successors{before: map[string]place{}, acted: map[string]bool{}}}
	var err error
	if s.run.session, s.run.tab, err = t.sessions.Set(call).Tab(ctx, in.TabID.Value); err == nil {
		err = s.run.tab.Do(ctx, func(context.Context, *page.Page) error { return nil }) // a dialog is in the way of everything
	}
	if err == nil {
		s.login, err = t.vault.Login(in.Name)
	}
	if err == nil {
		s.expect, err = outcomeOf(in.Expect)
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	address, err := s.address(in.URL.Value)
	if err == nil && address != "" {
		_, err = s.run.tab.Navigate(ctx, powers.Navigation(), address, browser.NavigateOptions{LoadTimeout: loginWait})
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	if err := s.fillPages(ctx); err != nil {
		refusal := (*toolkit.Refusal)(nil)
		if err = result.Refusal(call, err); errors.As(err, &refusal) && len(s.run.lines) > 0 {
			refusal.Message += "\ndone before:\n" + s.run.report()
		}
		return toolkit.Result{}, err
	}
	return toolkit.Text("logged in as " + in.Name + "\n" + s.run.report()), nil
}

// outcomeOf returns the contract that holds after a login: a text is one that the page shows. Nil is the end of the
// fields for a login.
func outcomeOf(expect toolkit.Opt[string]) (*contract.Contract, error) {
	if !expect.Set {
		return nil, nil
	}
	text := []byte(expect.Value)
	if !strings.HasPrefix(strings.TrimSpace(expect.Value), "{") {
		text, _ = json.Marshal(map[string]string{"dom_text": expect.Value}) // texts have a form in JSON
	}
	c, problems := contract.Parse(text)
	if len(problems) > 0 {
		return nil, toolkit.Refuse(toolkit.InvalidArguments, "expect: "+problems.Error())
	}
	return c, nil
}

// address returns the address to open, "" for the page that is open, and notes for which host a code is.
func (s *signIn) address(given string) (string, error) {
	origin, only := originOf(s.run.tab.URL()), s.login.Origins[0]
	switch {
	case strings.HasPrefix(given, "/") && len(s.login.Origins) == 1:
		given = only + given
		fallthrough
	case given != "":
		origin = originOf(given)
	case slices.Contains(s.login.Origins, origin):
	case len(s.login.Origins) == 1:
		origin, given = only, only+"/"
	}
	if !slices.Contains(s.login.Origins, origin) {
		return "", toolkit.Refuse(toolkit.PolicyDenied, fmt.Sprintf("%s is bound to %s; give an address of it in url", s.login.Password, strings.Join(s.login.Origins, ", ")),
			toolkit.Field{Name: "surface", Value: "secret"})
	}
	u, err := url.Parse(origin)
	if err != nil {
		return "", fmt.Errorf("read the origin of a secret: %w", err)
	}
	s.code = "{totp:" + u.Hostname() + "}"
	return given, nil
}

// originOf returns the origin of an address as browsers write it, without a port that its scheme has anyway.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Host)
	if u.Port() == map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		host = strings.ToLower(u.Hostname())
	}
	return u.Scheme + "://" + host
}

// fillPages fills the pages of a login, one after the other.
func (s *signIn) fillPages(ctx context.Context) error {
	for range maxLoginPages {
		fields, err := s.nextFields(ctx)
		if err != nil || len(fields) == 0 {
			return err
		}
		last := fields[len(fields)-1]
		fields = append(fields, step{ActStepsItem: actapi.ActStepsItem{Action: actapi.ActStepsItemActionKey, Ref: last.Ref, Value: toolkit.Some("Enter")}})
		for i := range fields {
			fields[i].number = len(s.run.lines) + i + 1
		}
		if err := s.run.performAll(ctx, fields); err != nil {
			return err
		}
	}
	return toolkit.Refuse(codes.Failed, fmt.Sprintf("the site asks on more than %d pages", maxLoginPages))
}

// nextFields waits for the fields of the next page of a login and returns the steps that set them; none at its end.
func (s *signIn) nextFields(ctx context.Context) ([]step, error) {
	until, rest := time.Now().Add(loginWait), time.Now().Add(loginRest)
	for {
		fields, asks, err := s.visibleFields(ctx)
		if err != nil || len(fields) > 0 {
			return fields, err
		}
		switch {
		case s.expect != nil:
			report := s.expect.Judge(ctx, live.New(s.run.session, s.run.tab, nil).WithRedaction(s.redact), contract.Options{})
			if report.Verdict == contract.Pass {
				return nil, nil
			}
		case asks || !s.filled[passwordFields]:
			rest = time.Now().Add(loginRest)
		case time.Now().After(rest):
			return nil, nil
		}
		if time.Now().After(until) {
			return nil, s.lateRefusal(asks)
		}
		if err := settle.Pause(ctx, expectInterval); err != nil {
			return nil, err
		}
	}
}

// lateRefusal is the refusal of a login that has come to no end.
func (s *signIn) lateRefusal(asks bool) error {
	switch {
	case len(s.filled) == 0:
		return toolkit.Refuse(codes.NotFound, "the page shows no field for a user, a password or a code; give the address of the login in url")
	case asks:
		return toolkit.Refuse(codes.Failed, "the page still asks for what was typed, so the login has failed; nothing is typed twice")
	}
	return toolkit.Refuse(codes.Failed, "the page does not show what is expected after a login")
}

// visibleFields returns the steps that set the fields which the page shows and which were not set; asks reports that it shows any.
func (s *signIn) visibleFields(ctx context.Context) (fields []step, asks bool, err error) {
	err = s.run.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		taken := map[string]bool{}
		for _, field := range []struct{ selector, value string }{{codeFields, s.code}, {passwordFields, "{secret:" + s.login.Password + "}"}, {userFields, "{secret:" + s.login.User + "}"}} {
			found, _, err := p.Locate.Query(ctx, locate.QueryOptions{CSS: field.selector, All: true, PierceShadow: true})
			if err != nil {
				return err
			}
			at := slices.IndexFunc(found, func(e document.ElementInfo) bool { return e.Visible && !taken[e.Ref] })
			if at < 0 || field.selector == userFields && s.login.User == "" {
				continue
			}
			taken[found[at].Ref] = true
			asks = asks || field.selector != userFields
			if !s.filled[field.selector] {
				fields = append(fields, step{ActStepsItem: actapi.ActStepsItem{Action: actapi.ActStepsItemActionSet, Ref: toolkit.Some(found[at].Ref), Value: toolkit.Some(field.value)}})
				s.filled[field.selector] = true
			}
		}
		slices.Reverse(fields)
		return nil
	})
	return fields, asks, err
}
