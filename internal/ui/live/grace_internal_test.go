package live

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// TestQuestionsEndUnwatched lets the time after the last person pass: with a person who has come back, and
// with none.
func TestQuestionsEndUnwatched(t *testing.T) {
	t.Parallel()
	h := New()
	stop := h.Watch()
	reply, _ := h.Show("s", "tool", toolkit.Question{Message: "Allow?"})
	stop()
	back := h.Watch()
	h.withdrawUnwatched()
	if len(h.Since("", 0).Questions) != 1 {
		t.Fatal("the question is gone, and a person watches")
	}
	back()
	h.withdrawUnwatched()
	if _, open := <-reply; open || len(h.Since("", 0).Questions) != 0 {
		t.Error("the question waits for a person who has left")
	}
	h.leaving.Stop()
}
