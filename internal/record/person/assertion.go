package person

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// judgeTimeout bounds the judgement of an assertion. The person has just seen that it holds.
const judgeTimeout = 3 * time.Second

// contractOf writes what the person chose in the menu as a contract; "" for what is no assertion.
func contractOf(e *event, address string) string {
	member := map[string]any{}
	switch e.Type {
	case "visible":
		member["element"] = map[string]any{"selector": e.Selector, "state": "visible"}
	case "text":
		member["dom_text"] = map[string]any{"selector": e.Selector, "contains": e.text()}
	case "value":
		member["value"] = map[string]any{"selector": e.Selector, "equals": e.text()}
	case "checked":
		state := "unchecked"
		if e.text() == "true" {
			state = "checked"
		}
		member["element"] = map[string]any{"selector": e.Selector, "state": state}
	case "count":
		member["dom_count"] = map[string]any{"selector": e.Selector, "eq": e.Count}
	case "url":
		u, err := url.Parse(address)
		if err != nil {
			return ""
		}
		path := u.EscapedPath()
		if u.Fragment != "" {
			path += "#" + u.EscapedFragment()
		}
		member["url"] = path
	default:
		return ""
	}
	text, err := json.Marshal(member)
	if err != nil { // texts and numbers always marshal
		return ""
	}
	return string(text)
}

// assert judges an assertion and records it with its verdict.
func (r *Recorder) assert(f *tab, at place, e *event) {
	r.script.learn()
	text := contractOf(e, at.url)
	parsed, problems := contract.Parse([]byte(text))
	if len(problems) > 0 {
		r.cfg.Logger.Warn("record an assertion", "problems", problems)
		return
	}
	c, err := r.cfg.Set.Get("")
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.ctx, judgeTimeout)
	defer cancel()
	report := parsed.Judge(ctx, live.New(c.Session(), f.tab, nil).WithRedaction(r.cfg.Redact), contract.Options{Deadline: time.Now().Add(judgeTimeout / 2)})
	verdict, err := json.Marshal(report)
	if err != nil || report.Verdict == contract.Inconclusive { // the menu offered what the listener had just read
		verdict = json.RawMessage(`{"verdict":"pass"}`)
	}
	r.script.plain(at, recorder.ManualStep{
		Tool: toolset.ToolOcAssert, Args: map[string]any{"contract": text, "timeout_ms": 5000}, Verdict: verdict,
		Summary: "asserted " + text,
	})
}
