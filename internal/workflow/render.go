package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/runner"
)

// What an answer holds itself: bytes of one text and of all, of one picture, and of everything when there is no store.
const (
	inlineText  = 16_000
	inlineTotal = 48_000
	inlineData  = 1 << 20
	dataTotal   = 8 << 20
	shownSteps  = 200 // of a run that failed, half of them its first
)

// answer is a result while it is put together.
type answer struct {
	set     *Set
	session string
	res     toolkit.Result
	text    int // bytes so far
	data    int
}

// render makes the answer of a run: what failed first, then what every step has given.
func (s *Set) render(ctx context.Context, call *toolkit.Call, w *definition.Bound, out *runner.Outcome) toolkit.Result {
	a := &answer{set: s, session: call.Session.ID}
	if out.Error != nil {
		a.line(out.Error.Error())
	}
	for _, late := range out.Late {
		a.line("also failed: " + late.Error())
	}
	heads := 0
	for i := range out.Steps {
		if r := &out.Steps[i]; r.Result != nil && shown(w, r) {
			heads++
		}
	}
	structured := map[string]json.RawMessage{}
	var only json.RawMessage
	for i := range out.Steps {
		r := &out.Steps[i]
		if r.Result == nil || !shown(w, r) {
			continue
		}
		if heads > 1 && !r.Plan.Quiet {
			a.line("[" + r.Plan.Name() + "] " + r.Call)
		}
		raw := r.Result.Raw()
		for _, c := range raw.Content {
			a.content(ctx, r, c)
		}
		if len(raw.Structured) > 0 && !raw.IsError {
			only = raw.Structured
			structured[r.Plan.Name()] = raw.Structured
		}
	}
	a.res.Structured = s.structured(w, out, structured, only)
	a.res.Refused = out.Error != nil
	if out.Error != nil {
		a.res.Structured = failure(w, out)
	}
	if len(a.res.Content) == 0 && len(a.res.Links) == 0 {
		a.line("done: " + counts(out))
	}
	return a.res
}

func counts(out *runner.Outcome) string {
	n := map[string]int{}
	for _, r := range out.Steps {
		n[r.Status]++
	}
	text := fmt.Sprintf("%d steps ok", n["ok"])
	for _, status := range []string{"skipped", "failed"} {
		if n[status] > 0 {
			text += fmt.Sprintf(", %d %s", n[status], status)
		}
	}
	return text
}

// failure is the envelope of a run that failed, with what became of each step.
func failure(w *definition.Bound, out *runner.Outcome) []byte {
	code := toolkit.Failed
	if out.Error.Kind == "timeout" {
		code = toolkit.Timeout
	}
	var steps []string
	left := max(0, len(out.Steps)-shownSteps)
	for i, r := range out.Steps {
		if i == shownSteps/2 && left > 0 {
			steps = append(steps, fmt.Sprintf("… and %d more", left))
		}
		if i < shownSteps/2 || i >= shownSteps/2+left {
			steps = append(steps, fmt.Sprintf("%s %s %s %dms", r.Step, r.Call, r.Status, r.Millis))
		}
	}
	data, err := json.Marshal(map[string]any{"code": code, "tool": w.Name, "error": out.Error, "steps": steps, "message": out.Error.Error()})
	if err != nil {
		return nil
	}
	return data
}

// structured is the structured result: what return: says; without it what the one step that gave any has given, or what
// each has, by name.
func (s *Set) structured(w *definition.Bound, out *runner.Outcome, by map[string]json.RawMessage, only json.RawMessage) []byte {
	var v any = by
	switch {
	case out.Return != nil:
		v = out.Return
	case len(by) == 0:
		return nil
	case len(by) == 1:
		return only
	}
	data, err := json.Marshal(v)
	if err != nil || len(data) > resultBytes && w.Output == nil {
		return nil // the text has it all; who was promised an output is told that it is too large
	}
	return data
}

func (a *answer) line(text string) {
	a.res.Content = append(a.res.Content, toolkit.Content{Text: text})
	a.text += len(text)
}

// content adds one item of a step's result.
func (a *answer) content(ctx context.Context, r *runner.Report, c external.Content) {
	name := c.Name
	if name == "" {
		name = strings.ReplaceAll(r.Plan.Name(), " ", "-") + extension(c)
	}
	switch {
	case c.Type == external.TypeResourceLink && strings.HasPrefix(c.URI, artifact.Scheme):
		a.res.Links = append(a.res.Links, toolkit.Link{URI: c.URI, Name: name, MIME: c.MIME})
	case c.Type == external.TypeResourceLink:
		a.line("link: " + strings.TrimSpace(c.URI+" "+c.Name))
	case c.Data != nil:
		a.binary(ctx, name, c)
	case len(c.Text) > inlineText || a.text+len(c.Text) > inlineTotal:
		a.long(ctx, name, c)
	case c.Text != "":
		a.line(c.Text)
	}
}

func extension(c external.Content) string {
	if c.Data == nil {
		return ".txt"
	}
	if list, err := mime.ExtensionsByType(c.MIME); err == nil && len(list) > 0 && c.MIME != "image/jpeg" {
		return list[0]
	}
	return "." + c.MIME[strings.LastIndex(c.MIME, "/")+1:]
}

func (a *answer) binary(ctx context.Context, name string, c external.Content) {
	picture := strings.HasPrefix(c.MIME, "image/") || strings.HasPrefix(c.MIME, "audio/")
	if picture && len(c.Data) <= inlineData && a.data+len(c.Data) <= dataTotal {
		a.res.Content = append(a.res.Content, toolkit.Content{Data: c.Data, MIME: c.MIME})
		a.data += len(c.Data)
		return
	}
	if !a.keep(ctx, name, c.MIME, c.Data) {
		a.line(fmt.Sprintf("%s: %d bytes of %s are too many for an answer, and cannot be kept", name, len(c.Data), c.MIME))
	}
}

// long keeps a long text as an artifact and shows its beginning.
func (a *answer) long(ctx context.Context, name string, c external.Content) {
	room := max(min(inlineText/4, inlineTotal-a.text), 200)
	kept := a.keep(ctx, name, "text/plain; charset=utf-8", []byte(c.Text))
	note := "the rest cannot be kept"
	if kept {
		note = "the whole text is a resource"
	}
	a.line(strings.ToValidUTF8(c.Text[:min(room, len(c.Text))], "") + fmt.Sprintf("\n[cut: %d bytes in all; %s]", len(c.Text), note))
}

// keep makes an artifact and links to it.
func (a *answer) keep(ctx context.Context, name, kind string, data []byte) bool {
	if a.set.cfg.Artifacts == nil {
		return false
	}
	kept, err := a.set.cfg.Artifacts.Put(ctx, artifact.Meta{Name: name, MIME: kind, Session: a.session}, bytes.NewReader(data))
	if err != nil {
		a.set.cfg.Log.Warn("keep an artifact of a workflow", "error", err)
		return false
	}
	a.res.Links = append(a.res.Links, toolkit.Link{URI: kept.URI(), Name: kept.Name, MIME: kept.MIME, Size: kept.Size})
	return true
}
