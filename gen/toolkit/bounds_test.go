package toolkit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// serve returns a session of a surface with one tool beside those of the sample.
func serve(t *testing.T, opt toolkit.Options, named string, timeout time.Duration, run func(context.Context, *toolkit.Call) (toolkit.Result, error), layers ...toolkit.Middleware) *toolkit.Session {
	t.Helper()
	reg := sample()
	added := tool(named, "core", 1, run)
	added.ResultBytes, added.Timeout = 1<<20, timeout
	if named == "work" {
		added.Invoke = handler(anything, func(ctx context.Context, call *toolkit.Call, _ struct{}) (toolkit.Result, error) {
			return run(ctx, call)
		})
	}
	reg.Tools = append(reg.Tools, added)
	slices.SortFunc(reg.Tools, func(a, b toolkit.Tool) int { return strings.Compare(a.Name, b.Name) })
	surface, err := toolkit.NewSurface(reg.Index(), opt, layers...)
	if err != nil {
		t.Fatal(err)
	}
	return surface.NewSession("s", nil)
}

// anything decodes no argument.
func anything([]byte) (struct{}, error) { return struct{}{}, nil }

// sizeOf counts the characters of the texts of a result, and estimates their tokens.
func sizeOf(res toolkit.CallResult) (characters, tokens int) {
	for _, c := range res.Content {
		characters += utf8.RuneCountInString(c.Text)
		tokens += len(c.Text) / 4
	}
	return characters, tokens
}

// TestResultsAreBounded makes results of random texts, with what layers and notices add.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "é", "漢", "😀", "\n", "\u0001", `"`}
	text := func(most int) string { return strings.Repeat(letters[random.IntN(len(letters))], random.IntN(most)) }
	var res toolkit.Result
	var refusal error
	v := serve(t, toolkit.Options{}, "much", time.Second, func(_ context.Context, call *toolkit.Call) (toolkit.Result, error) {
		for range random.IntN(9) {
			call.Session.AddNotice(text(3000))
		}
		return res, refusal
	}, func(next toolkit.CallHandler) toolkit.CallHandler {
		return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
			out, err := next(ctx, s, req)
			out.Content = append(out.Content, toolkit.Content{Text: text(3000)})
			return out, err
		}
	})
	for i := range 300 {
		res, refusal = toolkit.Result{}, nil
		for range random.IntN(1 + i%40) {
			res.Content = append(res.Content, toolkit.Content{Text: text(30_000)})
		}
		most := 48_000
		if i%3 == 0 {
			most, refusal = 8000, toolkit.Refuse(toolkit.Failed, text(20_000), toolkit.Field{Name: "first", Value: text(9000)}, toolkit.Field{Name: "second", Value: text(100)})
		}
		got, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "much"})
		characters, tokens := sizeOf(got)
		if err != nil || got.Refused != (refusal != nil) || characters > most || tokens > 10_000 || len(got.Structured) > 8000 {
			t.Fatalf("result %d: refused %v, %d characters, %d tokens, envelope of %d bytes: %v", i, got.Refused, characters, tokens, len(got.Structured), err)
		}
	}
	res, refusal = toolkit.Text(strings.Repeat("0123456789", 20_000)), nil
	if got, _ := v.Dispatch(t.Context(), toolkit.Request{Tool: "much"}); len(got.Content[0].Text) < 30_000 || !strings.Contains(got.Content[0].Text, "[cut: ") {
		t.Errorf("of 200,000 bytes %d were sent, and it is not said", len(got.Content[0].Text))
	}
	raised := serve(t, toolkit.Options{MaxResult: 150_000}, "much", time.Second, says(strings.Repeat("x", 140_000)))
	if got, _ := raised.Dispatch(t.Context(), toolkit.Request{Tool: "much"}); len(got.Content[0].Text) != 140_000 {
		t.Errorf("with a larger bound %d bytes were sent", len(got.Content[0].Text))
	}
}

// progress records what a client is sent.
type progress struct{ values []float64 }

func (p *progress) add(done, _ float64, _ string) { p.values = append(p.values, done) }

// check fails the test unless there is progress whose values grow.
func (p *progress) check(t *testing.T, least int) {
	t.Helper()
	for i := 1; i < len(p.values); i++ {
		if p.values[i] <= p.values[i-1] {
			t.Errorf("progress does not grow: %v", p.values)
		}
	}
	if len(p.values) < least {
		t.Errorf("progress was reported %d times, want %d: %v", len(p.values), least, p.values)
	}
}

func TestEveryCallReportsProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			least int
			run   func(context.Context, *toolkit.Call) (toolkit.Result, error)
		}{
			"at once": {1, says("done")},
			"silent":  {6, func(context.Context, *toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, pause(31) }},
			"constant": {9, func(_ context.Context, call *toolkit.Call) (toolkit.Result, error) {
				for range 3 {
					call.Progress(0, 0, "loading")
					_ = pause(11)
				}
				return toolkit.Result{}, nil
			}},
			"counting": {3, func(_ context.Context, call *toolkit.Call) (toolkit.Result, error) {
				for i := range 3 {
					call.Progress(float64(i), 3, "page")
				}
				return toolkit.Result{}, nil
			}},
		} {
			var p progress
			v := serve(t, toolkit.Options{}, "work", time.Minute, c.run)
			if _, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "work", Progress: p.add}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			p.check(t, c.least)
		}
	})
}

// pause lets the clock of the bubble run.
func pause(seconds int) error {
	<-time.After(time.Duration(seconds) * time.Second)
	return nil
}

// workFor returns a handler that takes a while, or until its context ends, and counts the calls.
func workFor(seconds int, calls *atomic.Int64) func(context.Context, *toolkit.Call) (toolkit.Result, error) {
	return func(ctx context.Context, _ *toolkit.Call) (toolkit.Result, error) {
		n := calls.Add(1)
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
			return toolkit.Text(fmt.Sprintf("result %d", n)), nil
		case <-ctx.Done():
			return toolkit.Result{}, ctx.Err()
		}
	}
}

// answer is when a call was answered, and how.
func answer(t *testing.T, v *toolkit.Session, req toolkit.Request) (seconds int, text string) {
	t.Helper()
	begun := time.Now()
	res, err := v.Dispatch(t.Context(), req)
	if err != nil {
		return int(time.Since(begun).Seconds()), err.Error()
	}
	return int(time.Since(begun).Seconds()), res.Content[0].Text
}

func TestALongCallIsAnsweredInTimeAndGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		v := serve(t, toolkit.Options{}, "work", time.Hour, workFor(140, &calls))
		req := toolkit.Request{Tool: "work", Life: t.Context()}
		for i, want := range []struct {
			seconds int
			text    string
		}{{55, "STILL_RUNNING"}, {55, "STILL_RUNNING"}, {30, "result 1"}, {55, "STILL_RUNNING"}} {
			var p progress
			req.Progress = p.add
			seconds, text := answer(t, v, req)
			p.check(t, 5)
			if seconds != want.seconds || !strings.HasPrefix(text, want.text) {
				t.Errorf("call %d: %q after %d s, want %q after %d s", i, text, seconds, want.text, want.seconds)
			}
		}
		_ = pause(600) // the result of the second call is forgotten
		if _, text := answer(t, v, req); calls.Load() != 3 || !strings.HasPrefix(text, "STILL_RUNNING") {
			t.Errorf("%d calls were run, the last says %q", calls.Load(), text)
		}
		_, _ = answer(t, v, req)
		_, _ = answer(t, v, req)
	})
}

func TestWhoAsksForLongerWaitsLonger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for args, want := range map[string]int{
			`{}`: 55, `{"timeout":100000}`: 105, `{"timeout_ms":70000}`: 75, `{"wait_ms":600000}`: 140, `{"timeout":2000}`: 55, `{"waitForMs":"x"}`: 55,
		} {
			var calls atomic.Int64
			v := serve(t, toolkit.Options{}, "work", time.Hour, workFor(140, &calls))
			life, end := context.WithCancel(t.Context())
			seconds, text := answer(t, v, toolkit.Request{Tool: "work", Args: []byte(args), Life: life})
			if seconds != want {
				t.Errorf("%s is answered %q after %d s, want %d s", args, text, seconds, want)
			}
			end()
		}
	})
}

func TestACallEndsWithItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, during := range []int{10, 80} { // the request waits, or the call goes on behind its answer
			var ended error
			v := serve(t, toolkit.Options{}, "work", time.Hour, func(ctx context.Context, _ *toolkit.Call) (toolkit.Result, error) {
				<-ctx.Done()
				ended = ctx.Err()
				return toolkit.Result{}, ended
			})
			life, end := context.WithCancel(t.Context())
			time.AfterFunc(time.Duration(during)*time.Second, end)
			_, _ = answer(t, v, toolkit.Request{Tool: "work", Life: life})
			_ = pause(100)
			synctest.Wait()
			if ended == nil {
				t.Errorf("the call outlives its client, which left after %d s", during)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var calls atomic.Int64
		v := serve(t, toolkit.Options{}, "work", time.Hour, workFor(140, &calls))
		if _, err := v.Dispatch(ctx, toolkit.Request{Tool: "work", Life: t.Context()}); err == nil {
			t.Error("a cancelled call is answered")
		}
	})
}

// TestAPanicOfALayerIsARefusal has a layer around the calls panic, which happens beside the request that waits.
func TestAPanicOfALayerIsARefusal(t *testing.T) {
	t.Parallel()
	s := serve(t, toolkit.Options{}, "work", time.Second, func(context.Context, *toolkit.Call) (toolkit.Result, error) {
		return toolkit.Text("done"), nil
	}, func(toolkit.CallHandler) toolkit.CallHandler {
		return func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) { panic("a layer") }
	})
	res, err := s.Dispatch(t.Context(), toolkit.Request{Tool: "work"})
	if err != nil || !res.Refused || !strings.Contains(res.Content[0].Text, "INTERNAL") {
		t.Errorf("%+v, %v", res, err)
	}
}
