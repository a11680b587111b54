package live_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/ui/live"
)

// call makes one call through a hub, and returns what another layer would.
func call(t testing.TB, h *live.Hub, session *toolkit.Session, tool string, res toolkit.CallResult, err error) {
	t.Helper()
	next := func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) { return res, err }
	_, got := h.Middleware(next)(t.Context(), session, toolkit.Request{Tool: tool, Args: []byte(`{"ref":"e1"}`)})
	if !errors.Is(got, err) {
		t.Errorf("%v, want %v", got, err)
	}
}

// TestACallUnderWhichAPersonComes is kept: the journal has it too late for whoever read it before the end.
func TestACallUnderWhichAPersonComes(t *testing.T) {
	t.Parallel()
	h, session := live.New(), &toolkit.Session{ID: "s"}
	handler := h.Middleware(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
		h.Watch()
		return toolkit.CallResult{}, nil
	})
	before := time.Now()
	if _, err := handler(t.Context(), session, toolkit.Request{Tool: "navigate"}); err != nil {
		t.Fatal(err)
	}
	calls := h.Since("s", 0).Calls
	if len(calls) != 1 || !calls[0].Ended || calls[0].StartedAt.Before(before) {
		t.Errorf("%+v", calls)
	}
}

// TestACallDuringWhichAPageOpensItsStreamAgain is kept once: the first call of a session, which makes the page follow it.
func TestACallDuringWhichAPageOpensItsStreamAgain(t *testing.T) {
	t.Parallel()
	h, session := live.New(), &toolkit.Session{ID: "s"}
	stop := h.Watch()
	for i, during := range []func(){func() { stop(); stop = h.Watch() }, func() {}} {
		handler := h.Middleware(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
			during()
			return toolkit.CallResult{}, nil
		})
		if _, err := handler(t.Context(), session, toolkit.Request{Tool: "navigate"}); err != nil {
			t.Fatal(err)
		}
		if calls := h.Since("s", 0).Calls; len(calls) != i+1 || !calls[i].Ended {
			t.Errorf("%+v", calls)
		}
	}
}

// TestCallsAreKeptWhileAPersonWatches makes calls before, during and after.
func TestCallsAreKeptWhileAPersonWatches(t *testing.T) {
	t.Parallel()
	h, session := live.New(), &toolkit.Session{ID: "s"}
	described := 0
	h.Describe = func(string, []byte) live.Arguments {
		described++
		return live.Arguments{Text: "ref: e1", Refs: []string{"e1"}}
	}
	call(t, h, session, "before", toolkit.CallResult{}, nil)
	if described != 0 || len(h.Since("s", 0).Calls) != 0 {
		t.Fatal("a call was kept that no person watched")
	}
	stop, other := h.Watch(), h.Watch()
	call(t, h, session, "read", toolkit.CallResult{Result: toolkit.Text("12345678"), Structured: []byte("{}")}, nil)
	call(t, h, session, "picture", toolkit.CallResult{Result: toolkit.Image("", make([]byte, 30), "image/png")}, nil)
	call(t, h, session, "refused", toolkit.RefusalResult("refused", toolkit.Refuse(toolkit.Timeout, "late")), nil)
	call(t, h, session, "unknown", toolkit.CallResult{}, errors.New("no such tool"))
	call(t, h, &toolkit.Session{ID: "another"}, "elsewhere", toolkit.CallResult{}, nil)
	first := h.Since("s", 0)
	want := []string{"read 10 2 ", "picture 40 0 ", "refused", "unknown 0 0 error"}
	if len(first.Calls) != len(want) {
		t.Fatalf("%+v", first.Calls)
	}
	for i, c := range first.Calls {
		if got := fmt.Sprintf("%s %d %d %s", c.Tool, c.Bytes, c.Tokens, c.Code); i != 2 && got != want[i] || i == 2 && c.Code != string(toolkit.Timeout) || !c.Ended {
			t.Errorf("call %d is %+v, want %s", i, c, want[i])
		}
	}
	if again := h.Since("s", first.At); len(again.Calls) != 0 {
		t.Errorf("nothing has changed, and %+v is new", again.Calls)
	}
	other()
	other() // counts once
	if !h.Watched() {
		t.Error("one of two has left, and no person watches")
	}
	stop()
	if h.Watched() || len(h.Since("s", 0).Calls) != 0 {
		t.Error("calls are kept after the last person has left")
	}
}

// TestCallsAreBounded makes more calls than are kept.
func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	h, session := live.New(), &toolkit.Session{ID: "s"}
	defer h.Watch()()
	for i := range 500 {
		call(t, h, session, fmt.Sprint(i), toolkit.CallResult{}, nil)
	}
	if got := h.Since("s", 0).Calls; len(got) != 200 || got[199].Tool != "499" {
		t.Errorf("%d calls are kept", len(got))
	}
}

// TestTheFirstAnswerCounts answers a question twice, and one that was withdrawn.
func TestTheFirstAnswerCounts(t *testing.T) {
	t.Parallel()
	h := live.New()
	defer h.Watch()()
	before := h.Since("", 0)
	reply, _ := h.Show("s", "tool", toolkit.Question{Message: "Allow?"})
	<-before.Next
	id := h.Since("", 0).Questions[0].ID
	if err := h.Answer(id, toolkit.Reply{Action: toolkit.Accept}); err != nil {
		t.Fatal(err)
	}
	if err := h.Answer(id, toolkit.Reply{Action: toolkit.Decline}); !errors.Is(err, live.ErrAnswered) {
		t.Errorf("the second answer: %v", err)
	}
	if got := <-reply; got.Action != toolkit.Accept {
		t.Errorf("%+v", got)
	}
	_, withdraw := h.Show("s", "tool", toolkit.Question{Message: "Allow?"})
	id = h.Since("", 0).Questions[0].ID
	withdraw()
	if err := h.Answer(id, toolkit.Reply{Action: toolkit.Accept}); !errors.Is(err, live.ErrAnswered) || len(h.Since("", 0).Questions) != 0 {
		t.Errorf("an answer to a withdrawn question: %v", err)
	}
}

// BenchmarkUnwatchedCall measures the hub's part of a call while no person watches.
func BenchmarkUnwatchedCall(b *testing.B) {
	h, session := live.New(), &toolkit.Session{ID: "s"}
	handler := h.Middleware(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
		return toolkit.CallResult{}, nil
	})
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = handler(ctx, session, toolkit.Request{})
	}
}
