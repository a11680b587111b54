package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/toolset/batchapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// navigationPatience is the time for which a page of a series may go on loading after its document is there.
const navigationPatience = 5 * time.Second

// advance goes to the n-th page of the series, counted from 0. The first is there already, but for
// addresses.
func (s *series) advance(ctx context.Context, n, number int) error {
	if s.in.Strategy == batchapi.BatchPaginateStrategyURL {
		return s.navigate(ctx, number)
	}
	if n == 0 {
		return nil
	}
	switch s.in.Strategy {
	case batchapi.BatchPaginateStrategyClick:
		return s.tab.Do(ctx, s.click)
	case batchapi.BatchPaginateStrategyScroll:
		return s.tab.Do(ctx, s.scroll)
	case batchapi.BatchPaginateStrategyKeyboard, batchapi.BatchPaginateStrategyURL:
	}
	return s.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		_, err := p.Keyboard.Press(ctx, s.in.KeyAction)
		return err
	})
}

// navigate loads the page's address.
func (s *series) navigate(ctx context.Context, number int) error {
	offset := (number - min(1, s.in.StartPage)) * s.in.PageSize // pages are counted from 1, or from 0
	address := strings.NewReplacer(
		"{page}", strconv.Itoa(number), "{N}", strconv.Itoa(number), "{offset}", strconv.Itoa(offset),
	).Replace(s.in.URLTemplate.Value)
	nav, err := s.tab.Navigate(ctx, s.navigation, address, browser.NavigateOptions{LoadTimeout: navigationPatience})
	switch {
	case err != nil:
		return err
	case nav.Status >= 400:
		return seriesEnd(fmt.Sprintf("page %d answers with status %d", number, nav.Status))
	case nav.IsDownload || nav.NoContent:
		return seriesEnd(fmt.Sprintf("page %d is nothing to read", number))
	}
	return s.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		_, err := p.Settle.WaitForStable(ctx)
		return err
	})
}

// click clicks the control that leads to the next page. The series ends where that is gone, hidden
// or disabled.
func (s *series) click(ctx context.Context, p *page.Page) error {
	selector := s.in.NextSelector.Value
	found, _, err := p.Locate.Query(ctx, locate.QueryOptions{CSS: selector, All: true, Limit: 10, PierceShadow: true})
	if err != nil {
		return err
	}
	visible := slices.IndexFunc(found, func(e document.ElementInfo) bool { return e.Visible })
	switch {
	case len(found) == 0:
		return seriesEnd(fmt.Sprintf("nothing matches %q any more", selector))
	case visible < 0:
		return seriesEnd(fmt.Sprintf("what %q matches is not visible any more", selector))
	}
	next := found[visible]
	off := seriesEnd(fmt.Sprintf("what %q matches is disabled", selector))
	if slices.Contains(next.States, "disabled") || slices.Contains(strings.Fields(next.Attributes["class"]), "disabled") {
		return off
	}
	_, err = p.Widget.Click(ctx, input.Target{Ref: next.Ref}, input.ClickOptions{})
	var blocked *document.NotActionableError
	if errors.As(err, &blocked) && blocked.Cause == document.CauseDisabled {
		return off
	}
	return err
}

// scroll goes on by what is visible. At the end it waits for more to come: an endless list loads
// when its end is seen.
func (s *series) scroll(ctx context.Context, p *page.Page) error {
	until := time.Now().Add(time.Duration(s.in.WaitMs) * time.Millisecond)
	at, err := p.Mouse.ScrollBy(ctx, "", 0, 0, false)
	if err != nil {
		return err
	}
	for {
		moved, err := p.Mouse.ScrollBy(ctx, "", 0, float64(at.ViewHeight), false)
		switch {
		case err != nil:
			return err
		case moved.Scrolled:
			return nil
		case time.Now().After(until):
			return seriesEnd("the page is scrolled to its end")
		}
		if err := settle.Pause(ctx, pollInterval); err != nil {
			return err
		}
	}
}
