package page

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// maxPause is the longest pause, in ms, that the type "timeout" takes.
const maxPause = 60000

// WaitFor waits until something holds.
func (t *Tools) WaitFor(ctx context.Context, call *toolkit.Call, in pageapi.WaitForParams, powers pageapi.WaitForPowers) (toolkit.Result, error) {
	o, err := condition(in)
	if err != nil {
		return toolkit.Result{}, err
	}
	limit := time.Duration(in.Timeout) * time.Millisecond
	if o.Duration > 0 {
		limit = max(limit, o.Duration+time.Second) // the pause is the point; the limit is for conditions
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var waited time.Duration
	held := string(in.Type)
	err = t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		switch {
		case in.Type == pageapi.WaitForTypeFunction:
			waited, err = p.Settle.WaitForFunction(ctx, powers.Script(), in.Value.Value)
		case in.Type == pageapi.WaitForTypeRefOrText && o.Ref == "":
			waited, held, err = waitForWords(ctx, p, o)
		default:
			waited, err = p.Settle.WaitFor(ctx, o)
		}
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	if o.Ref != "" {
		held = "ref"
	}
	return toolkit.Textf("%s after %d ms", held, waited.Milliseconds()), nil
}

// namingInterval is the time between searches for an element that words name.
const namingInterval = 250 * time.Millisecond

// waitForWords waits until a person can read a text, or until its words name elements, and says which.
func waitForWords(ctx context.Context, p *page.Page, o settle.WaitOptions) (time.Duration, string, error) {
	var late *settle.WaitTimeoutError
	for begun := time.Now(); ; {
		part, cancel := context.WithTimeout(ctx, namingInterval)
		_, err := p.Settle.WaitFor(part, o)
		cancel()
		now, timedOut := errors.AsType[*settle.WaitTimeoutError](err)
		if !timedOut {
			return time.Since(begun), "text", err
		}
		if late == nil || ctx.Err() == nil { // the last part may end before its first check
			late = now
		}
		if late.Elapsed = time.Since(begun); ctx.Err() != nil {
			return late.Elapsed, "", late
		}
		_, unnamed := p.Locate.Name(ctx, o.Text, locate.FindOptions{})
		if _, several := errors.AsType[*locate.AmbiguousError](unnamed); several || unnamed == nil {
			return time.Since(begun), "element", nil
		}
	}
}

// condition turns parameters into the engine's options of a wait.
func condition(in pageapi.WaitForParams) (settle.WaitOptions, error) {
	v := in.Value.Value
	if needless := in.Type == pageapi.WaitForTypeNavigation || in.Type == pageapi.WaitForTypeNetworkIdle; !in.Value.Set && !needless {
		return settle.WaitOptions{}, toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("type %s needs a value", in.Type))
	}
	switch in.Type {
	case pageapi.WaitForTypeSelector:
		return settle.WaitOptions{Selector: v, Visible: in.Visible}, nil
	case pageapi.WaitForTypeSelectorHidden:
		return settle.WaitOptions{Selector: v, Hidden: true}, nil
	case pageapi.WaitForTypeText:
		return settle.WaitOptions{Text: v}, nil
	case pageapi.WaitForTypeRefOrText:
		if document.IsRef(v) {
			return settle.WaitOptions{Ref: v}, nil
		}
		return settle.WaitOptions{Text: v, Words: true}, nil
	case pageapi.WaitForTypeTextGone:
		return settle.WaitOptions{TextGone: v}, nil
	case pageapi.WaitForTypeFunction: // see WaitForFunction
	case pageapi.WaitForTypeURLMatch:
		return settle.WaitOptions{URL: v}, nil
	case pageapi.WaitForTypeNavigation:
		return settle.WaitOptions{Navigation: true, URL: v}, nil
	case pageapi.WaitForTypeNetworkIdle:
		return settle.WaitOptions{Idle: true}, nil
	case pageapi.WaitForTypeTimeout:
		ms, err := strconv.Atoi(v)
		if err != nil || ms < 0 || ms > maxPause {
			return settle.WaitOptions{}, toolkit.Violations{{Path: "/value", Problem: fmt.Sprintf("expected ms from 0 to %d, got %q", maxPause, v)}}
		}
		return settle.WaitOptions{Duration: time.Duration(ms) * time.Millisecond}, nil
	}
	return settle.WaitOptions{}, nil
}
