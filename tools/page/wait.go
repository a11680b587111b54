package page

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
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
	err = t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		if in.Type == pageapi.WaitForTypeFunction {
			waited, err = p.Settle.WaitForFunction(ctx, powers.Script(), in.Value.Value)
		} else {
			waited, err = p.Settle.WaitFor(ctx, o)
		}
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("%s after %d ms", held(in.Type, o), waited.Milliseconds()), nil
}

// held names what a wait waited for.
func held(kind pageapi.WaitForType, o settle.WaitOptions) string {
	switch {
	case kind != pageapi.WaitForTypeRefOrText:
		return string(kind)
	case o.Ref != "":
		return "ref"
	}
	return "text"
}

// condition turns parameters into what the engine waits for.
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
		return settle.WaitOptions{Text: v}, nil
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
