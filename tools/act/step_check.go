package act

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
)

const (
	// stepReadBytes bounds the reading of one step.
	stepReadBytes = 8000
	// expectInterval is the time between two checks of an expectation.
	expectInterval = 100 * time.Millisecond
)

// looks reports a step that changes nothing.
func looks(s step) bool {
	return s.Action == actapi.ActStepsItemActionRead || s.Action == actapi.ActStepsItemActionFind || s.Action == actapi.ActStepsItemActionExpect
}

// runCheck performs a step that changes nothing, and returns what it saw.
func (f *successors) runCheck(ctx context.Context, call *toolkit.Call, tab *browser.Tab, s step) (text string, err error) {
	err = tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		if err := f.restore(ctx, p, s.Ref); err != nil {
			return err
		}
		switch s.Action {
		case actapi.ActStepsItemActionFind:
			text, err = findAll(ctx, p, s.Query)
		case actapi.ActStepsItemActionExpect:
			text, err = expect(ctx, p, s)
		default:
			text, err = readPart(ctx, p, s)
		}
		return err
	})
	if err != nil {
		return "", result.Refusal(call, err)
	}
	return text, nil
}

// readPart reads the page, the element that a step names, or with the value diff what changed.
func readPart(ctx context.Context, p *page.Page, s step) (string, error) {
	r, err := readStep(ctx, p, s, read.Options{Diff: s.Value == "diff", MaxBytes: stepReadBytes})
	if err != nil {
		return "", err
	}
	return "read\n" + result.QuoteReading(r, s.Ref == "" && s.Query == ""), nil
}

// readStep reads the page, or the element that a step names.
func readStep(ctx context.Context, p *page.Page, s step, o read.Options) (r read.Reading, err error) {
	if o.Ref = s.Ref; s.Query != "" {
		if o.Ref, err = name(ctx, p, s.Query, locate.WantAny, fieldWait); err != nil {
			return r, err
		}
	}
	return p.Read.Page(ctx, o)
}

// findAll searches. A search without a match is an answer, and ends no step list.
func findAll(ctx context.Context, p *page.Page, query string) (string, error) {
	found, err := p.Locate.Search(ctx, query, locate.FindOptions{Wait: fieldWait})
	if err != nil {
		return "", err
	}
	if len(found.Matches) == 0 {
		return fmt.Sprintf("found nothing for %q", query), nil
	}
	return "found\n   " + strings.ReplaceAll(result.Matches(found), "\n", "\n   "), nil
}

// expect waits until the page shows the value of a step, or until the element that the step names
// is there and shows it in its own line or below.
func expect(ctx context.Context, p *page.Page, s step) (string, error) {
	until := time.Now().Add(fieldWait)
	for {
		got, err := observed(ctx, p, s)
		if err != nil {
			return "", err
		}
		if contains(got, s.Value) {
			return "as expected", nil
		}
		if time.Now().After(until) {
			return "", unexpected(s, got)
		}
		if _, err := p.Settle.WaitFor(ctx, settle.WaitOptions{Duration: expectInterval}); err != nil {
			return "", err
		}
	}
}

// observed returns the text in which a step expects its value.
func observed(ctx context.Context, p *page.Page, s step) (string, error) {
	r, err := readStep(ctx, p, s, read.Options{Values: true, MaxBytes: 100 * stepReadBytes})
	return r.Text, err
}

// contains compares without regard to case, space and the marks of an outline.
func contains(text, part string) bool {
	plain := func(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
	return strings.Contains(plain(text), plain(part))
}

// unexpected is the refusal of an expectation that does not hold.
func unexpected(s step, got string) error {
	if s.Ref == "" && s.Query == "" {
		return toolkit.Refuse(codes.NotFound, fmt.Sprintf("%q is not on the page", s.Value))
	}
	const most = 300
	if len(got) > most {
		got = strings.ToValidUTF8(got[:most], "") + "…"
	}
	return toolkit.Refuse(codes.NotFound, fmt.Sprintf("expected %q, but it is: %s", s.Value, strings.TrimSpace(got)))
}
