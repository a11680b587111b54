package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/text"
)

// stepOutcome is the outcome of a replayed step, for the comparison with the recording.
type stepOutcome struct {
	urlBefore string    // of the step's tab before the call; "" when it had none
	deadline  time.Time // until when the tab may change its address
	result    toolkit.CallResult
	played    *PlayedStep // receives notes
}

// compareStep compares a played step with the recording: its verdict, and the address of its tab.
func (r *run) compareStep(ctx context.Context, s *recorder.Step, o stepOutcome) (*Drift, error) {
	if replayKind(s) == toolset.ReplayAssert && len(s.Verdict) > 0 {
		v := Verdict{Step: s.Seq, Recorded: recorder.VerdictOf(s.Verdict), Now: recorder.VerdictOf(structuredResult(o.result))}
		r.report.Verdicts = append(r.report.Verdicts, v)
		if v.Recorded != v.Now {
			return &Drift{Kind: DriftVerdict, Expected: "verdict " + v.Recorded, Found: "verdict " + v.Now, Reason: text.ClipRunes(joinText(o.result), 500)}, nil
		}
	}
	id := r.tabs[s.Tab]
	if id == "" || s.URL == "" {
		return nil, nil
	}
	was := r.recordedURLs[s.Tab]
	r.recordedURLs[s.Tab] = s.URL
	_, tab := r.tabURL(ctx, id)
	if tab == nil || sameShape(tab.URL(), s.URL) {
		return nil, nil
	}
	moved := was == "" || !sameShape(was, s.URL)
	for moved && o.urlBefore != "" && sameShape(tab.URL(), o.urlBefore) { // it is still where it was
		if time.Now().After(o.deadline) {
			return &Drift{Kind: DriftAddress, Expected: "the tab at " + s.URL, Found: tab.URL(), URL: tab.URL(),
				Reason: "the step led to another address then, and to none now"}, nil
		}
		if err := waitForPoll(ctx); err != nil {
			return nil, err
		}
	}
	if now := tab.URL(); !sameShape(now, s.URL) {
		o.played.addNote(fmt.Sprintf("the tab is at %s, then it was at %s", now, s.URL))
	}
	return nil, nil
}

// judgeContract judges the script's own contract.
func (r *run) judgeContract(ctx context.Context) error {
	if r.contract == "" {
		return nil
	}
	args := map[string]any{"contract": r.contract}
	const judge = toolset.ToolOcAssert
	if parameter := r.tabParameter(judge); r.currentTab != "" && parameter != "" {
		args[parameter] = r.currentTab
	}
	data, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encode the contract: %w", err)
	}
	res, err := r.Dispatch(ctx, judge, data)
	if err != nil {
		return fmt.Errorf("judge the contract: %w", err)
	}
	r.report.Contract = recorder.VerdictOf(structuredResult(res))
	if code := refusalCode(res); code != "" {
		r.report.Contract = "inconclusive"
	}
	if r.report.Contract != "pass" {
		r.stop(&Drift{Step: len(r.steps) + 1, Tool: judge, Kind: DriftVerdict, Expected: "verdict pass",
			Found: "verdict " + r.report.Contract, Reason: text.ClipRunes(joinText(res), 500), Code: refusalCode(res)})
	}
	return nil
}

// structuredResult returns the structured content of a result, or the JSON object in its text.
func structuredResult(res toolkit.CallResult) json.RawMessage {
	if res.Structured != nil {
		return res.Structured
	}
	text := joinText(res)
	if at := strings.IndexByte(text, '{'); at >= 0 {
		return json.RawMessage(text[at:])
	}
	return nil
}

// refusalCode returns the code of a refusal; "" for other results.
func refusalCode(res toolkit.CallResult) string {
	code, _ := readRefusal(res)
	return code
}

// readRefusal returns the code of a refusal, "" for other results, and how many steps of its own
// the call had made.
func readRefusal(res toolkit.CallResult) (code string, done int) {
	if !res.Refused {
		return "", 0
	}
	var envelope struct {
		Code string `json:"code"`
		Done int    `json:"done"`
	}
	if json.Unmarshal(res.Structured, &envelope) != nil || envelope.Code == "" {
		return string(toolkit.Failed), envelope.Done
	}
	return envelope.Code, envelope.Done
}

func joinText(res toolkit.CallResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// sameShape compares addresses by path and fragment, with numbers and hashes alike: servers change
// ports, records have other ids.
func sameShape(a, b string) bool {
	u, errU := url.Parse(a)
	v, errV := url.Parse(b)
	if errU != nil || errV != nil {
		return a == b
	}
	return pathShape(u.Path) == pathShape(v.Path) && pathShape(u.Fragment) == pathShape(v.Fragment) && (u.Scheme == v.Scheme || u.Host != "" && v.Host != "")
}

func pathShape(path string) string {
	parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
	for i, p := range parts {
		if strings.ContainsAny(p, "0123456789") {
			parts[i] = "0"
		}
	}
	return strings.Join(parts, "/")
}
