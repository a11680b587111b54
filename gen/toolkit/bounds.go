package toolkit

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	// DefaultMaxResult bounds the text of a result, in bytes: about 10,000 tokens. It is the least that clients take
	// which cut results, or write them to a file.
	DefaultMaxResult = 40_000
	// noteRoom is the part of a bound that is left to what dispatch and the layers add to the text of a handler.
	noteRoom = 2000
	// maxRefusal bounds the text of a refusal and its envelope, in bytes each; maxMessage its message.
	maxRefusal = 8000
	maxMessage = 4000
)

// ResultBytes returns how many bytes the text or the structured content of the result may have: the budget of the tool
// and, for a client's own call, the bound of the server.
func (c *Call) ResultBytes() int {
	most := math.MaxInt
	if c.maxResult > 0 {
		most = c.maxResult - noteRoom
	}
	if c.Tool.ResultBytes > 0 {
		most = min(most, c.Tool.ResultBytes)
	}
	return most
}

// cut keeps the first limit bytes of the texts of a result, to a character boundary, and says so. Tools that can do
// better (a continuation) keep within the limit themselves; this is the last line.
func cut(res CallResult, limit int) CallResult {
	at, used, all := -1, 0, 0
	var kept []Content
	for _, c := range res.Content {
		all += len(c.Text)
		switch {
		case at < 0 && used+len(c.Text) > limit:
			at, c.Text = len(kept), strings.TrimSuffix(clipBytes(c.Text, limit-used), "…")
		case at >= 0 && c.Text != "":
			continue
		}
		used += len(c.Text)
		kept = append(kept, c)
	}
	if at >= 0 {
		kept[at].Text += fmt.Sprintf("\n[cut: %d of %d bytes left out; ask for less]", all-used, all)
		res.Content = kept
	}
	return res
}

// bounded cuts what dispatch and the layers have added to a result.
func bounded(res CallResult, req Request) CallResult {
	most := req.maxResult
	if res.Refused {
		most = min(most, maxRefusal)
	}
	if most > 0 {
		return cut(res, most-noteRoom/10) // for what it says itself
	}
	return res
}

// room returns how many bytes of text can be added to a result.
func (r Request) room(res CallResult) int {
	if r.maxResult == 0 {
		return maxInlined
	}
	n := r.maxResult - noteRoom/2
	for _, c := range res.Content {
		n -= len(c.Text)
	}
	return n
}

const (
	// answerTime is the time within which a call is answered whose client did not ask for longer.
	answerTime = 55 * time.Second
	// beatInterval is the time after which a call that reports no progress sends some.
	beatInterval = 5 * time.Second
)

// patience returns the time for which the client of a call waits: answerTime, or more where an argument that bounds the
// wait of the tool, in milliseconds, asks for it.
func patience(args []byte) time.Duration {
	var members map[string]any
	_ = json.Unmarshal(args, &members) // what is no object gets a refusal
	longest := time.Duration(0)
	for _, name := range []string{"timeout", "timeout_ms", "wait", "wait_ms", "waitForMs"} {
		ms, _ := members[name].(float64)
		longest = max(longest, time.Duration(ms)*time.Millisecond)
	}
	if longest < answerTime {
		return answerTime
	}
	return longest + beatInterval
}

// heartbeat sends the progress of a call to its client: that of the handler and, where it reports none for a while, that
// the call is under way. Each value is larger than the one before, as the protocol demands.
type heartbeat struct {
	send func(done, total float64, message string)

	mu          sync.Mutex
	sent        bool
	done, total float64 // of the last report
	message     string
}

// beat begins the heartbeat of a call, if its client wants progress. stop ends it, and sends the only progress of a
// call that had none.
func beat(req *Request) (stop func()) {
	if req.Progress == nil {
		return func() {}
	}
	h := &heartbeat{send: req.Progress}
	req.Progress = h.report
	timer, end := time.NewTicker(beatInterval), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-timer.C:
				h.repeat()
			case <-end:
				return
			}
		}
	})
	return func() {
		timer.Stop()
		close(end)
		wg.Wait()
		if !h.sent {
			h.report(1, 1, "done")
		}
	}
}

// report sends progress.
func (h *heartbeat) report(done, total float64, message string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sent {
		done = max(done, h.done+0.001)
	}
	h.sent, h.done, h.total, h.message = true, done, total, message
	h.send(done, total, message)
}

// repeat sends the last progress again, or that the call is under way.
func (h *heartbeat) repeat() {
	h.mu.Lock()
	done, total, message := h.done, h.total, cmp.Or(h.message, "under way")
	h.mu.Unlock()
	h.report(done, total, message)
}
