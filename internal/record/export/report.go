package export

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	_ "image/jpeg" // pictures of steps
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/record/recorder"
)

//go:embed report.html
var reportHTML string

//go:embed report.css
var reportCSS string

// reportTemplate is the parsed template, made when it is first needed.
var reportTemplate = sync.OnceValues(func() (*template.Template, error) { return template.New("report").Parse(reportHTML) })

// maxScreenshotBytes bounds the bytes of pictures in one report, which mail and phones must be able
// to hold.
const maxScreenshotBytes = 24 << 20

// Report writes one self-contained page: no script, nothing fetched, the style allowed by its hash
// alone. What was recorded gets into it as text only.
func Report(s Source) ([]byte, error) {
	t, err := reportTemplate()
	if err != nil {
		return nil, fmt.Errorf("parse the report's template: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, newReportView(s)); err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return b.Bytes(), nil
}

// reportView is the data of the report's template.
type reportView struct {
	Title, ID, StyleHash string
	Style                template.CSS
	Started, StartedISO  string
	Took                 string
	Open                 bool
	Steps                []stepView
	Bars                 []timelineBar
	Verdicts             []verdictCount
	Trace                traceView

	Refused, Requests, Failed, Errors, Gone int
}

type verdictCount struct {
	Name, Class string
	Count       int
}

// timelineBar is a step on the line of time, in thousandths of its width.
type timelineBar struct {
	Seq          int
	Title, Class string
	X, Width     string
}

type screenshotView struct {
	Source        template.URL
	Width, Height int
}

// recordingTitle returns the label of a recording, or its time.
func recordingTitle(r recorder.Recording) string {
	return cmp.Or(r.Label, "Recording of "+r.StartedAt.UTC().Format("2 January 2006, 15:04"))
}

func newReportView(s Source) reportView {
	sum := sha256.Sum256([]byte(reportCSS))
	v := reportView{
		Title: recordingTitle(s.Recording), ID: s.Recording.ID, Style: template.CSS(reportCSS), //nolint:gosec // a constant of this package
		StyleHash: "sha256-" + base64.StdEncoding.EncodeToString(sum[:]), Open: s.Recording.StoppedAt == nil,
		Started: s.Recording.StartedAt.UTC().Format("2 Jan 2006 15:04:05"), StartedISO: s.Recording.StartedAt.UTC().Format(time.RFC3339),
	}
	start := s.Recording.StartedAt
	end := start
	for i, step := range s.Steps { // calls that ran side by side stand in the order in which they ended
		if i == 0 || step.StartedAt.Before(start) {
			start = step.StartedAt
		}
		if over := step.StartedAt.Add(step.Duration); i == 0 || over.After(end) {
			end = over
		}
	}
	v.Took, v.Trace = formatDuration(end.Sub(start)), newTraceView(s)
	verdicts := map[string]int{}
	room, videoRoom, at := maxScreenshotBytes, maxVideoBytes, map[string]string{}
	for _, step := range s.Steps {
		one := newStepView(step, start)
		if at[step.Tab] == one.URL { // said once
			one.URL = ""
		}
		at[step.Tab] = step.URL
		if step.Screenshot != "" {
			one.Picture = inlineScreenshot(s, step.Screenshot, &room)
			if one.Picture == nil {
				v.Gone++
			}
		}
		one.addVideos(s, step.Videos, &videoRoom)
		v.count(step, one, verdicts)
		v.Steps = append(v.Steps, one)
		v.Bars = append(v.Bars, newTimelineBar(step, one, start, end))
	}
	for _, class := range []string{"pass", "fail", "inconclusive"} {
		if n := verdicts[class]; n > 0 {
			v.Verdicts = append(v.Verdicts, verdictCount{Name: class, Count: n, Class: map[string]string{"pass": "good", "fail": "bad"}[class]})
		}
	}
	return v
}

// count sums a step up.
func (v *reportView) count(step recorder.Step, one stepView, verdicts map[string]int) {
	if step.Outcome != "ok" {
		v.Refused++
	}
	if one.Verdict != nil {
		verdicts[one.Verdict.Class]++
	}
	v.Requests += len(step.Requests) + step.OmittedRequests
	for _, q := range step.Requests {
		if q.Error != "" || q.Status >= 400 {
			v.Failed++
		}
	}
	for _, m := range step.Console {
		if m.Level == "error" {
			v.Errors++
		}
	}
}

// inlineScreenshot inlines a JPEG; what is none, or finds no room, is left out.
func inlineScreenshot(s Source, id string, room *int) *screenshotView {
	data := s.artifact(id, *room)
	size, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || kind != "jpeg" || len(data) > *room {
		return nil
	}
	*room -= len(data)
	return &screenshotView{Source: dataURL("image/jpeg", data), Width: size.Width, Height: size.Height}
}

// minBarWidth is how wide a bar is at least, so that it can be seen and touched.
const minBarWidth = 6.0

func newTimelineBar(step recorder.Step, one stepView, start, end time.Time) timelineBar {
	whole := max(end.Sub(start).Seconds(), 0.001)
	x := step.StartedAt.Sub(start).Seconds() / whole * (1000 - minBarWidth)
	width := max(minBarWidth, min(step.Duration.Seconds()/whole*1000, 1000-x))
	return timelineBar{Seq: step.Seq, Title: one.Title, Class: one.Class, X: fmt.Sprintf("%.1f", x), Width: fmt.Sprintf("%.1f", width)}
}

// formatDuration shows a time as people say it: 850 ms, 12.4 s, 3 min 20 s.
func formatDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
