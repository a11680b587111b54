package toolkit

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

const (
	answerTime   = 55 * time.Second // within which a call is answered whose client did not ask for longer
	beatInterval = 5 * time.Second  // after which a call that reports no progress sends some
	maxRunning   = 16               // calls of a session that go on behind their answers
	keptTime     = 5 * time.Minute  // for which the result of one waits to be fetched
)

// patience returns the time for which the client of a call waits: answerTime, or more where an argument that bounds the
// wait of the tool, in milliseconds, asks for it.
func patience(args []byte) time.Duration {
	longest := answerTime
	for _, name := range []string{"timeout", "timeout_ms", "wait", "wait_ms", "waitForMs"} {
		value, _ := memberValue(args, name)
		if ms, _ := strconv.ParseFloat(string(value), 64); ms > float64(answerTime.Milliseconds()) {
			longest = max(longest, time.Duration(ms)*time.Millisecond+beatInterval)
		}
	}
	return longest
}

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
	progress progress
	asking   int // questions to the client that wait for an answer
}

// progress is the latest progress that was sent for a call. Each value is larger than the one before, as the
// protocol demands.
type progress struct {
	send        func(done, total float64, message string) // nil where no request wants it
	sent        bool
	done, total float64
	message     string
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
	locked(r, func() { r.progress = progress{send: req.Progress} })
	defer locked(r, func() { r.progress.send = nil })
	stop := context.AfterFunc(ctx, r.end)
	defer stop()
	beat, limit := time.NewTicker(beatInterval), make(<-chan time.Time)
	defer beat.Stop()
	began := time.Now()
	if req.Life != nil {
		limit = time.After(answerTime)
	}
	for {
		select {
		case <-r.done:
			if !r.progress.sent {
				r.report(1, 1, "done")
			}
			if age := time.Since(r.began); repeated && r.err == nil && r.res.Raw == nil {
				r.res.Content = append(r.res.Content, Content{Text: fmt.Sprintf("[of the call that began %.0f s ago]", age.Seconds())})
			}
			return r.res, r.err
		case <-beat.C:
			var last progress
			locked(r, func() { last = r.progress })
			r.report(last.done, last.total, cmp.Or(last.message, "under way"))
		case <-limit:
			if rest := patience(req.Args) - time.Since(began); rest > 0 {
				limit = time.After(rest)
				continue
			}
			if v.keep(key, r, stop) {
				s := int(time.Since(r.began).Seconds())
				text := "%s has run for %d s and goes on; make the same call again, with the same arguments, to wait for its result"
				refusal := Refuse(StillRunning, fmt.Sprintf(text, req.Tool, s), Field{"ms", s * 1000})
				refusal.Tool = req.Tool
				return refusal.result(), nil
			}
			limit = time.After(time.Second)
		}
	}
}

// startRunning runs a call in the background.
func startRunning(ctx context.Context, req Request, run func(context.Context, Request) (CallResult, error)) *runningCall {
	r := &runningCall{began: time.Now(), done: make(chan struct{})}
	ctx, r.end = context.WithCancel(context.WithoutCancel(ctx))
	stop := func() bool { return true }
	if req.Life != nil {
		stop = context.AfterFunc(req.Life, r.end)
	}
	if req.Progress != nil {
		req.Progress = r.report
	}
	req.Elicit, req.Sample, req.Interaction.Ask = asking(r, req.Elicit), asking(r, req.Sample), asking(r, req.Interaction.Ask)
	go func() {
		defer close(r.done)
		defer r.end()
		defer stop()
		defer survive(req, func(refusal *Refusal) { r.res = refusal.result() }) // of a layer around the handler
		r.res, r.err = run(ctx, req)
	}()
	return r
}

func locked(r *runningCall, do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
}

// asking counts the questions that wait for an answer. A call is not answered meanwhile.
func asking[Q, A any](r *runningCall, ask func(context.Context, Q) (A, error)) func(context.Context, Q) (A, error) {
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, q Q) (A, error) {
		locked(r, func() { r.asking++ })
		defer locked(r, func() { r.asking-- })
		return ask(ctx, q)
	}
}

// report sends progress to the request that waits.
func (r *runningCall) report(done, total float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &r.progress
	if p.sent {
		done = max(done, p.done+0.001)
	}
	p.sent, p.done, p.total, p.message = true, done, total, message
	if p.send != nil {
		p.send(done, total, message)
	}
}

// keep leaves a call running behind its answer, and forgets it keptTime after its end. It reports false where too many
// are, the call asks its client, or the request was cancelled: leave reports whether it was not.
func (v *running) keep(key string, r *runningCall, leave func() bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking > 0 || len(v.calls) >= maxRunning || v.calls[key] != nil || !leave() {
		return false
	}
	if v.calls == nil {
		v.calls = map[string]*runningCall{}
	}
	v.calls[key] = r
	go func() {
		<-r.done
		time.AfterFunc(keptTime, func() {
			v.mu.Lock()
			defer v.mu.Unlock()
			if v.calls[key] == r {
				delete(v.calls, key)
			}
		})
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
