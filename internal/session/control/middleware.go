package control

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser/personhold"
)

// Middleware holds the calls of a session that act while a person controls it, and adds to the next result what
// the person did. It stands inside of the layer that fences texts.
func (c *Controls) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		if !c.enabled.Load() {
			return next(ctx, v, req)
		}
		var res toolkit.CallResult
		var err error
		if acts(v.Surface().Tool(req.Tool)) {
			epoch := c.connections.Holds().Epoch() // changes after this are found where the call acts
			var refusal *toolkit.Refusal
			if refusal, err = c.wait(ctx, v, req); err != nil {
				return res, err
			}
			if refusal == nil {
				refusal = c.refuseUnreported(v.ID)
			}
			if refusal != nil {
				return c.deliver(ctx, v.ID, toolkit.RefusalResult(req.Tool, refusal)), nil
			}
			ctx = personhold.WithAgent(ctx, epoch)
		}
		if res, err = next(ctx, v, req); err != nil {
			return res, err
		}
		return c.deliver(ctx, v.ID, res), nil
	}
}

// waits is how a replay makes the calls of a tool that keeps the page until a condition holds.
const waits toolkit.Replay = "wait"

// acts reports whether the calls of a tool wait for the person: all but those that read, and those that only
// keep their arguments.
func acts(t *toolkit.Tool) bool {
	switch {
	case t == nil:
		return false
	case t.Effects.ReadOnly:
		// The same call twice scrolls twice where it is not idempotent.
		return !t.Effects.Idempotent || t.Traits.Replay == waits
	}
	return t.Effects.OpenWorld || !t.Traits.Keeps || !t.Traits.Durable || len(t.Powers) > 0
}

// wait holds a call while a person controls the session, with notifications. After Config.HoldTime it
// returns the refusal.
func (c *Controls) wait(ctx context.Context, v *toolkit.Session, req toolkit.Request) (*toolkit.Refusal, error) {
	hold := c.connections.Holds().Of(v.ID)
	if hold == nil {
		return nil, nil
	}
	began := time.Now()
	c.countWaiting(v.ID, 1)
	defer c.countWaiting(v.ID, -1)
	limit := time.NewTimer(c.cfg.HoldTime)
	defer limit.Stop()
	if req.Progress != nil { // the toolkit repeats it
		req.Progress(0, c.cfg.HoldTime.Seconds(), "a person has had control since "+hold.Since.UTC().Format(time.TimeOnly)+" UTC; the call waits")
	}
	for {
		select {
		case <-hold.Ended():
			if c.existing(v.ID) == nil { // the session or the server has ended
				return refusal(v, hold, time.Since(began)), nil
			}
			if hold = c.connections.Holds().Of(v.ID); hold == nil {
				return nil, nil
			}
		case <-limit.C:
			return refusal(v, hold, time.Since(began)), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// refuseUnreported refuses a call that the agent decided on before it knew the changes of a person. The refusal
// has the report.
func (c *Controls) refuseUnreported(id string) *toolkit.Refusal {
	if c.concerned.Load() == 0 {
		return nil
	}
	s := c.existing(id)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.reports {
		if len(r.lines) > 0 {
			return toolkit.Refuse(codes.PersonInControl, "not done: a person had control and changed what is listed below; call again if it is still right",
				toolkit.Field{Name: "since", Value: r.from.UTC().Format(time.RFC3339)}, toolkit.Field{Name: "begun", Value: false})
		}
	}
	return nil
}

// maxNamedTools bounds the tools that a refusal names.
const maxNamedTools = 6

func refusal(v *toolkit.Session, hold *personhold.Hold, waited time.Duration) *toolkit.Refusal {
	readers := slices.DeleteFunc(v.Surface().AllowedTools(), func(t *toolkit.Tool) bool { return !t.Effects.OpenWorld || acts(t) })
	slices.SortStableFunc(readers, func(a, b *toolkit.Tool) int { return cmp.Compare(a.Tier, b.Tier) }) // by name within a tier
	tools := slicesx.Map(readers[:min(len(readers), maxNamedTools)], func(t *toolkit.Tool) string { return t.Name })
	text := fmt.Sprintf("a person took over the session at %s UTC and has not handed it back; wait and call again", hold.Since.UTC().Format(time.TimeOnly))
	if len(tools) > 0 {
		text += "; tools that only read still work"
	}
	return toolkit.Refuse(codes.PersonInControl, text,
		toolkit.Field{Name: "since", Value: hold.Since.UTC().Format(time.RFC3339)}, toolkit.Field{Name: "waited", Value: waited.Milliseconds()},
		toolkit.Field{Name: "begun", Value: false}, toolkit.Field{Name: "tools", Value: tools})
}

func (c *Controls) countWaiting(id string, n int) {
	if s := c.existing(id); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting += n
		s.notifyLocked()
	}
}

// deliver adds the unreported changes to a result. A result that cannot have it leaves it for the
// next one.
func (c *Controls) deliver(ctx context.Context, id string, res toolkit.CallResult) toolkit.CallResult {
	if c.concerned.Load() == 0 || toolkit.NestingDepth(ctx) > 0 || res.Raw != nil || res.Ask != nil || ctx.Err() != nil {
		return res
	}
	if s := c.existing(id); s != nil {
		res.Content = append(slices.Clip(res.Content), s.take()...)
	}
	return res
}
