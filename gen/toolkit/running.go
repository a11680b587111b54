package toolkit

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// maxRunning bounds how many calls of a session go on behind their answers.
	maxRunning = 16
	// keptTime is the time for which the result of such a call waits to be fetched.
	keptTime = 5 * time.Minute
)

// running has the calls of a session that go on behind an answer which says so, by tool and arguments. The same call
// again waits for one and returns its result.
type running struct {
	mu    sync.Mutex
	calls map[string]*runningCall
}

// runningCall is one call, which may outlive the request that began it.
type runningCall struct {
	began time.Time
	end   context.CancelFunc
	done  chan struct{}
	res   CallResult // once done
	err   error

	mu       sync.Mutex
	progress func(done, total float64, message string) // of the request that waits; nil where none does
	asking   int                                       // questions to the client that wait for an answer
}

// await runs a call, or goes on waiting for the running one that is the same, until the client is to be answered. A call
// ends with the request that waits for it, and with the client.
func (v *running) await(ctx context.Context, req Request, run func(context.Context, Request) (CallResult, error)) (CallResult, error) {
	key := req.Tool + "\x00" + string(req.Args)
	r := v.take(key)
	repeated := r != nil
	if !repeated {
		r = startRunning(ctx, req, run)
	}
	r.sendTo(req.Progress)
	defer r.sendTo(nil)
	stop := context.AfterFunc(ctx, r.end)
	defer stop()
	limit := time.NewTimer(patience(req.Args))
	defer limit.Stop()
	for {
		select {
		case <-r.done:
			if age := time.Since(r.began); repeated && r.err == nil && r.res.Raw == nil {
				r.res.Content = append(r.res.Content, Content{Text: fmt.Sprintf("[of the call that began %.0f s ago]", age.Seconds())})
			}
			return r.res, r.err
		case <-limit.C:
			if !r.asks() && v.keep(key, r, stop) {
				s := int(time.Since(r.began).Seconds())
				text := "%s has run for %d s and goes on; make the same call again, with the same arguments, to wait for its result"
				refusal := Refuse(StillRunning, fmt.Sprintf(text, req.Tool, s), Field{"ms", s * 1000})
				refusal.Tool = req.Tool
				return refusal.result(), nil
			}
			limit.Reset(time.Second)
		}
	}
}

// startRunning runs a call in the background.
func startRunning(ctx context.Context, req Request, run func(context.Context, Request) (CallResult, error)) *runningCall {
	r := &runningCall{began: time.Now(), done: make(chan struct{})}
	ctx, r.end = context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(req.Life, r.end)
	if req.Progress != nil {
		req.Progress = r.report
	}
	req.Elicit, req.Sample, req.Interaction.Ask = asking(r, req.Elicit), asking(r, req.Sample), asking(r, req.Interaction.Ask)
	go func() {
		defer close(r.done)
		defer r.end()
		defer stop()
		r.res, r.err = run(ctx, req)
	}()
	return r
}

// asking counts the questions that wait for an answer. A call is not answered meanwhile.
func asking[Q, A any](r *runningCall, ask func(context.Context, Q) (A, error)) func(context.Context, Q) (A, error) {
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, q Q) (A, error) {
		r.count(1)
		defer r.count(-1)
		return ask(ctx, q)
	}
}

func (r *runningCall) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asking += n
}

func (r *runningCall) asks() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asking > 0
}

// sendTo says where progress goes; nowhere while no request waits.
func (r *runningCall) sendTo(progress func(done, total float64, message string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = progress
}

func (r *runningCall) report(done, total float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.progress != nil {
		r.progress(done, total, message)
	}
}

// keep leaves a call running behind its answer, and forgets it keptTime after its end. It reports false where too many
// are, or where the request was cancelled: leave reports whether it was not.
func (v *running) keep(key string, r *runningCall, leave func() bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.calls) >= maxRunning || v.calls[key] != nil || !leave() {
		return false
	}
	if v.calls == nil {
		v.calls = map[string]*runningCall{}
	}
	v.calls[key] = r
	go func() {
		<-r.done
		time.AfterFunc(keptTime, func() { v.drop(key, r) })
	}()
	return true
}

// take returns the running call of a key, which the caller waits for; nil where none is.
func (v *running) take(key string) *runningCall {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.calls[key]
	delete(v.calls, key)
	return r
}

func (v *running) drop(key string, r *runningCall) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.calls[key] == r {
		delete(v.calls, key)
	}
}
