package toolkit

import (
	"fmt"
	"math"
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
			at, c.Text = len(kept), clipBytes(c.Text, max(limit-used-len("…"), 0)) // the mark tells layers where a secret may be cut
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
