package page

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/text"
)

// loadLimit bounds the navigation of validate_page, and the wait for its selector; maxLines how
// many messages it shows, and maxLineLength how long each may be.
const (
	loadLimit     = 15 * time.Second
	maxLines      = 20
	maxLineLength = 300
)

// ValidatePage loads a page and reports whether it looks healthy. A bad page is an answer, not a
// refusal.
func (t *Tools) ValidatePage(ctx context.Context, call *toolkit.Call, in pageapi.ValidatePageParams, powers pageapi.ValidatePagePowers) (toolkit.Result, error) {
	begun := time.Now()
	tab, status, err := t.visit(ctx, call, powers, in)
	if tab == nil {
		return toolkit.Result{}, err
	}
	if status == "" && in.WaitForSelector.Set {
		status, err = t.await(ctx, tab, in.WaitForSelector.Value)
		if err != nil {
			return toolkit.Result{}, err
		}
	}
	err = tab.Calls.Beside(ctx, func(ctx context.Context) error { // the page has time to say what is wrong with it
		return settle.Pause(ctx, time.Duration(in.CaptureConsoleMs)*time.Millisecond)
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	var s read.Overview
	err = tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		s, err = p.Read.Overview(ctx, true, in.BodyTextSampleChars)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	if status == "" {
		status = verdict(in.URL.Value, s)
	}
	return toolkit.Text(health(tab, status, time.Since(begun), s)), nil
}

// visit brings the page into a tab. status is "" when it loaded.
func (t *Tools) visit(ctx context.Context, call *toolkit.Call, powers pageapi.ValidatePagePowers, in pageapi.ValidatePageParams) (*browser.Tab, string, error) {
	if !in.URL.Set {
		tab, err := t.sessions.Tab(ctx, call, in.TabID)
		return tab, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	var tab *browser.Tab
	var nav browser.Navigation
	var err error
	if in.TabID.Set {
		if tab, err = t.sessions.Tab(ctx, call, in.TabID); err != nil {
			return nil, "", err
		}
		nav, err = tab.Navigate(ctx, powers.Navigation(), in.URL.Value, browser.NavigateOptions{})
	} else {
		session, serr := t.sessions.Active(call)
		if serr != nil {
			return nil, "", serr
		}
		tab, nav, err = session.Open(ctx, powers.Window(), powers.Navigation(), in.URL.Value, browser.NavigateOptions{})
	}
	if err != nil {
		status := loadStatus(err)
		if tab == nil || status == "" {
			return nil, "", err
		}
		return tab, status, nil
	}
	if nav.Status >= 400 {
		return tab, fmt.Sprintf("http_error %d", nav.Status), nil
	}
	return tab, "", nil
}

// loadStatus says how a load failed; "" for a failure that is no fault of the page.
func loadStatus(err error) string {
	if failed, ok := errors.AsType[*browser.NavigationError](err); ok {
		return "navigation_failed " + failed.ErrorText
	}
	if _, ok := errors.AsType[*browser.TimeoutError](err); ok {
		return "timeout"
	}
	return ""
}

func (t *Tools) await(ctx context.Context, tab *browser.Tab, selector string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	err := tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		_, err := p.Settle.WaitFor(ctx, settle.WaitOptions{Selector: selector, Visible: true})
		return err
	})
	if _, ok := errors.AsType[*settle.WaitTimeoutError](err); ok {
		return "timeout: no visible " + selector, nil
	}
	return "", err
}

// loginAddress matches addresses that ask who one is.
func loginAddress(address string) bool {
	return regexp.MustCompile(`(?i)(^|[/.?&_-])(log-?in|sign-?in|auth|oauth2?|sso|saml|account/login)([/.?&=_-]|$)`).MatchString(address)
}

// verdict looks for a page that came instead of the one that was asked for.
func verdict(asked string, s read.Overview) string {
	want, err := url.Parse(asked)
	got, err2 := url.Parse(s.Page.URL)
	if asked != "" && err == nil && err2 == nil && (want.Host != got.Host || want.Path != got.Path) && loginAddress(got.Host+got.Path) && !loginAddress(want.Path) {
		return "auth_redirect_required " + got.Host
	}
	return "ok"
}

func health(tab *browser.Tab, status string, took time.Duration, s read.Overview) string {
	said := tab.Console().Read(console.Query{Level: console.Warning, Limit: 2 * maxLines})
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %q\n", status, tab.ID(), s.Page.URL, s.Page.Title)
	fmt.Fprintf(&b, "%d ms", took.Milliseconds())
	for _, c := range []struct {
		n    int
		what string
	}{
		{said.Counts[console.Error], "error"}, {said.Counts[console.Warning], "warning"}, {s.Page.Controls, "control"}, {s.Page.Forms, "form"},
		{s.Page.Frames, "frame"}, {s.Page.Canvases, "canvas"}, {s.Page.Dialogs, "dialog"},
	} {
		b.WriteString(", " + text.Count(c.n, c.what))
	}
	var body strings.Builder
	shown := map[console.Level]int{}
	for _, m := range said.Messages {
		if shown[m.Level]++; shown[m.Level] <= maxLines {
			fmt.Fprintf(&body, "%s: %s\n", m.Level, text.ClipRunes(strings.Join(strings.Fields(m.Text), " "), maxLineLength))
		}
	}
	for _, e := range s.Errors {
		fmt.Fprintf(&body, "on the page: %s\n", e)
	}
	if s.Page.Text != "" {
		fmt.Fprintf(&body, "text: %s\n", s.Page.Text)
	}
	if body.Len() > 0 {
		b.WriteString("\n" + result.Quote(body.String()))
	}
	return b.String()
}
