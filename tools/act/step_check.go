package act

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
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

// readPart reads the page, the element that a step names, or with the value diff what changed. As a value of later steps it is
// the value of the element, or else its text.
func (r *run) readPart(ctx context.Context, s step) (text string, err error) {
	err = r.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		reading, err := readStep(ctx, p, s, read.Options{Diff: s.Value.Value == "diff", MaxBytes: stepReadBytes})
		if err != nil || !s.As.Set {
			text = "read\n" + result.QuoteReading(reading.Reading, reading.ref == "")
			return err
		}
		text = fmt.Sprintf("read %s\n%s", s.As.Value, result.QuoteReading(reading.Reading, reading.ref == ""))
		if reading.ref == "" {
			return r.keep(s, reading.Text)
		}
		info, err := p.Document.Describe(ctx, reading.ref)
		switch {
		case err != nil:
			return err
		case info.Secret:
			return toolkit.Refuse(toolkit.InvalidArguments, "a field for secrets gives no value")
		}
		return r.keep(s, cmp.Or(info.Value, strings.TrimSpace(info.Text)))
	})
	return text, err
}

// stepReading is a reading of the page, where ref is "", or of an element.
type stepReading struct {
	read.Reading
	ref string
}

// readStep reads the page, or the element that a step names.
func readStep(ctx context.Context, p *page.Page, s step, o read.Options) (stepReading, error) {
	at, err := targetOf(ctx, p, s)
	if err != nil {
		return stepReading{}, err
	}
	o.Ref = at.Ref
	reading, err := p.Read.Page(ctx, o)
	return stepReading{reading, at.Ref}, err
}

// search searches. A search without a match is an answer, unless a later step is to use the ref of the first match.
func (r *run) search(ctx context.Context, s step) (text string, err error) {
	err = r.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		found, err := p.Locate.Search(ctx, s.Query.Value, locate.FindOptions{Wait: fieldWait})
		switch {
		case err != nil:
			return err
		case len(found.Matches) > 0:
			text = "found\n   " + strings.ReplaceAll(result.Matches(found), "\n", "\n   ")
			return r.keep(s, found.Matches[0].Ref)
		case s.As.Set:
			return &locate.NoMatchError{Query: s.Query.Value}
		}
		text = fmt.Sprintf("found nothing for %q", s.Query.Value)
		return nil
	})
	return text, err
}

// expect waits until the page shows the value of a step, or until the element that the step names
// is there and shows it in its own line or below.
func (r *run) expect(ctx context.Context, s step) (string, error) {
	until := time.Now().Add(fieldWait)
	return "as expected", r.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		for {
			got, err := readStep(ctx, p, s, read.Options{Values: true, MaxBytes: 100 * stepReadBytes})
			switch {
			case err != nil || contains(got.Text, s.Value.Value):
				return err
			case time.Now().After(until):
				return unexpected(s, got)
			}
			if err := settle.Pause(ctx, expectInterval); err != nil {
				return err
			}
		}
	})
}

// contains compares without regard to case, space and the marks of an outline.
func contains(text, part string) bool {
	plain := func(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
	return strings.Contains(plain(text), plain(part))
}

// unexpected is the refusal of an expectation that does not hold.
func unexpected(s step, reading stepReading) error {
	if reading.ref == "" {
		return toolkit.Refuse(codes.NotFound, fmt.Sprintf("%q is not on the page", s.Value.Value))
	}
	const most = 300
	got := reading.Text
	if len(got) > most {
		got = strings.ToValidUTF8(got[:most], "") + "…"
	}
	return toolkit.Refuse(codes.NotFound, fmt.Sprintf("expected %q, but it is: %s", s.Value.Value, strings.TrimSpace(got)))
}
