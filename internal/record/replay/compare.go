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
)

// compareStep holds what a step has done against what it did then: its verdict, and where its tab is.
func (r *run) compareStep(ctx context.Context, s *recorder.Step, before string, end time.Time, res toolkit.Result, played *PlayedStep) (*Drift, error) {
	if replayKind(s) == toolset.ReplayAssert && len(s.Verdict) > 0 {
		v := Verdict{Step: s.Seq, Recorded: readVerdict(s.Verdict), Now: readVerdict(structuredResult(res))}
		r.report.Verdicts = append(r.report.Verdicts, v)
		if v.Recorded != v.Now {
			return &Drift{Kind: DriftVerdict, Expected: "verdict " + v.Recorded, Found: "verdict " + v.Now, Reason: clip(joinText(res), 500)}, nil
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
	for moved && before != "" && sameShape(tab.URL(), before) { // it is still where it was
		if time.Now().After(end) {
			return &Drift{Kind: DriftAddress, Expected: "the tab at " + s.URL, Found: tab.URL(), URL: tab.URL(),
				Reason: "the step led to another address then, and to none now"}, nil
		}
		if err := waitForPoll(ctx); err != nil {
			return nil, err
		}
	}
	if now := tab.URL(); !sameShape(now, s.URL) {
		played.addNote(fmt.Sprintf("the tab is at %s, then it was at %s", now, s.URL))
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
	r.report.Contract = readVerdict(structuredResult(res))
	if code := refusalCode(res); code != "" {
		r.report.Contract = "inconclusive"
	}
	if r.report.Contract != "pass" {
		r.stop(&Drift{Step: len(r.steps) + 1, Tool: judge, Kind: DriftVerdict, Expected: "verdict pass",
			Found: "verdict " + r.report.Contract, Reason: clip(joinText(res), 500), Code: refusalCode(res)})
	}
	return nil
}

// recordedVerdict reads the verdict of a report; "" is none.
func readVerdict(report json.RawMessage) string {
	var v struct {
		Verdict string `json:"verdict"`
	}
	if json.Unmarshal(report, &v) != nil {
		var plain string
		_ = json.Unmarshal(report, &plain) // a verdict may be kept as its word
		return plain
	}
	return v.Verdict
}

// structuredResult is the object that a call answered with.
func structuredResult(res toolkit.Result) json.RawMessage {
	if res.Structured != nil {
		return res.Structured
	}
	text := joinText(res)
	if at := strings.IndexByte(text, '{'); at >= 0 {
		return json.RawMessage(text[at:])
	}
	return nil
}

// refusalCode is a refusal's code, or "".
func refusalCode(res toolkit.Result) string {
	code, _ := readRefusal(res)
	return code
}

// readRefusal is a refusal's code, "" where there is none, and how many of its own steps the call had made until then.
func readRefusal(res toolkit.Result) (code string, done int) {
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

func joinText(res toolkit.Result) string {
	var b strings.Builder
	for _, c := range res.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

func clip(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// sameShape compares addresses by path and fragment, where numbers and hashes are whatever they are: servers move to other ports,
// and records have other ids.
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
