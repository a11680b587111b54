package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // image.DecodeConfig takes the formats that are registered
	"image/png"
	"mime"
	"strings"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // image.DecodeConfig takes it too

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/runner"
)

// Limits of inline content in a result, in bytes: one text, all texts, one image, and all images.
const (
	maxInlineText  = 16_000
	maxInlineTotal = 32_000
	maxInlineData  = 1 << 20
	maxSide        = 2000 // of an image, in pixels
	maxPixels      = 64_000_000
	maxDataTotal   = 8 << 20
	maxListedSteps = 200 // steps listed of a failed run: half from its start, half from its end
)

// resultBuilder collects the content of a result.
type resultBuilder struct {
	set         *Set
	session     string
	result      toolkit.CallResult
	textBytes   int // bytes of text so far
	binaryBytes int
}

// render builds the result of a run: the error first, then the content of each step.
func (s *Set) render(ctx context.Context, call *toolkit.Call, w *definition.BoundWorkflow,
	out *runner.Outcome) toolkit.CallResult {
	a := &resultBuilder{set: s, session: call.Session.ID}
	if out.Error != nil {
		a.addText(out.Error.Error())
	}
	for _, late := range out.NonFatal {
		a.addText("also failed: " + late.Error())
	}
	heads := 0
	for i := range out.Steps {
		if r := &out.Steps[i]; r.Result != nil && isShown(w, r) {
			heads++
		}
	}
	structured := map[string]json.RawMessage{}
	var only json.RawMessage
	for i := range out.Steps {
		r := &out.Steps[i]
		if r.Result == nil || !isShown(w, r) {
			continue
		}
		if heads > 1 && !r.Definition.Quiet {
			a.addText("[" + r.Definition.Name() + "] " + r.Call)
		}
		raw := r.Result.Shown()
		for _, c := range raw.Content {
			a.addContent(ctx, r, c)
		}
		if len(raw.Structured) > 0 && !raw.IsError {
			only = raw.Structured
			structured[r.Definition.Name()] = raw.Structured
		}
	}
	a.result.Structured = s.structuredContent(w, out, structured, only)
	a.result.Refused = out.Error != nil
	if out.Error != nil {
		a.result.Structured = failureEnvelope(w, out)
	}
	if len(a.result.Content) == 0 && len(a.result.Links) == 0 {
		a.addText("done: " + countSteps(out))
	}
	return a.result
}

func countSteps(out *runner.Outcome) string {
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

// failureEnvelope returns the structured content of a failed run, with the status of each step.
func failureEnvelope(w *definition.BoundWorkflow, out *runner.Outcome) []byte {
	var steps []string
	left := max(0, len(out.Steps)-maxListedSteps)
	for i, r := range out.Steps {
		if i == maxListedSteps/2 && left > 0 {
			steps = append(steps, fmt.Sprintf("… and %d more", left))
		}
		if i < maxListedSteps/2 || i >= maxListedSteps/2+left {
			steps = append(steps, fmt.Sprintf("%s %s %s %dms", r.Step, r.Call, r.Status, r.Millis))
		}
	}
	data, err := json.Marshal(map[string]any{"code": out.Error.Code(), "tool": w.Name, "error": out.Error, "steps": steps,
		"message": out.Error.Error()})
	if err != nil {
		return nil
	}
	return data
}

// structuredContent returns the structured result: the values of return if the workflow has it,
// else the structured content of the only step that has any, else that of each step by name.
func (s *Set) structuredContent(w *definition.BoundWorkflow, out *runner.Outcome, by map[string]json.RawMessage,
	only json.RawMessage) []byte {
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
	if err != nil || len(data) > maxStructuredBytes && w.Output == nil {
		return nil // the text is complete; with a declared output the caller gets an error for the size
	}
	return data
}

func (b *resultBuilder) addText(text string) {
	b.result.Content = append(b.result.Content, toolkit.Content{Text: text})
	b.textBytes += len(text)
}

// addContent adds one content item of a step's result.
func (b *resultBuilder) addContent(ctx context.Context, r *runner.StepReport, c external.Content) {
	name := c.Name
	if name == "" {
		name = strings.ReplaceAll(r.Definition.Name(), " ", "-") + fileExtension(c)
	}
	switch {
	case c.Type == external.TypeResourceLink && strings.HasPrefix(c.URI, artifact.Scheme):
		b.result.Links = append(b.result.Links, toolkit.Link{URI: c.URI, Name: name, MIME: c.MIME})
	case c.Type == external.TypeResourceLink:
		b.addText("link: " + strings.TrimSpace(c.URI+" "+c.Name))
	case c.Data != nil:
		b.addBinary(ctx, name, c)
	case len(c.Text) > maxInlineText || b.textBytes+len(c.Text) > maxInlineTotal:
		b.addLongText(ctx, name, c)
	case c.Text != "":
		b.addText(c.Text)
	}
}

func fileExtension(c external.Content) string {
	if c.Data == nil {
		return ".txt"
	}
	if list, err := mime.ExtensionsByType(c.MIME); err == nil && len(list) > 0 && c.MIME != "image/jpeg" {
		return list[0]
	}
	return "." + c.MIME[strings.LastIndex(c.MIME, "/")+1:]
}

// addBinary adds a picture or a sound. One that is too large is an artifact; of a picture with too many pixels the result has
// a smaller copy too.
func (b *resultBuilder) addBinary(ctx context.Context, name string, c external.Content) {
	shown := c.Data
	if strings.HasPrefix(c.MIME, "image/") {
		shown = scaledDown(c.Data)
	} else if !strings.HasPrefix(c.MIME, "audio/") {
		shown = nil
	}
	whole := len(shown) == len(c.Data)
	if len(shown) > 0 && len(shown) <= maxInlineData && b.binaryBytes+len(shown) <= maxDataTotal {
		kind := c.MIME
		if !whole {
			kind = "image/png"
		}
		b.result.Content = append(b.result.Content, toolkit.Content{Data: shown, MIME: kind})
		b.binaryBytes += len(shown)
		if whole {
			return
		}
	}
	if !b.addArtifact(ctx, name, c.MIME, c.Data) {
		b.addText(fmt.Sprintf("%s: %d bytes of %s are too large for a result and could not be stored", name,
			len(c.Data), c.MIME))
	}
}

// scaledDown returns a picture with no side over maxSide: the data itself where it has none, else a PNG; nil where it cannot
// be decoded.
func scaledDown(data []byte) []byte {
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	longest := max(size.Width, size.Height)
	if err != nil || longest <= maxSide {
		return data
	}
	if size.Width*size.Height > maxPixels {
		return nil
	}
	picture, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	small := image.NewRGBA(image.Rect(0, 0, max(1, size.Width*maxSide/longest), max(1, size.Height*maxSide/longest)))
	draw.CatmullRom.Scale(small, small.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if png.Encode(&out, small) != nil {
		return nil
	}
	return out.Bytes()
}

// addLongText stores a long text as an artifact and shows its beginning.
func (b *resultBuilder) addLongText(ctx context.Context, name string, c external.Content) {
	room := max(min(maxInlineText/4, maxInlineTotal-b.textBytes), 200)
	kept := b.addArtifact(ctx, name, "text/plain; charset=utf-8", []byte(c.Text))
	note := "the rest could not be stored"
	if kept {
		note = "the whole text is a resource"
	}
	b.addText(strings.ToValidUTF8(c.Text[:min(room, len(c.Text))], "") +
		fmt.Sprintf("\n[cut: %d bytes in all; %s]", len(c.Text), note))
}

// addArtifact stores data as an artifact and adds a link. It reports whether that succeeded.
func (b *resultBuilder) addArtifact(ctx context.Context, name, kind string, data []byte) bool {
	if b.set.cfg.Artifacts == nil {
		return false
	}
	kept, err := b.set.cfg.Artifacts.Put(ctx, artifact.Meta{Name: name, MIME: kind, Session: b.session},
		bytes.NewReader(data))
	if err != nil {
		b.set.cfg.Log.Warn("store an artifact of a workflow", "error", err)
		return false
	}
	b.result.Links = append(b.result.Links, toolkit.Link{URI: kept.URI(), Name: kept.Name, MIME: kept.MIME,
		Size: kept.Size})
	return true
}
