package read

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// readResult is the engine's response to "read".
type readResult struct {
	Reading
	Remainder int         `json:"remainder"`
	Left      int         `json:"left"` // characters of the remainder
	Frames    []frameLine `json:"frames"`
	// source is the whole text when Text is a diff; world is the frame that holds the remainder.
	source string
	world  *document.World
}

// frameLine gives the line of a text, from 0, at which a remote frame stands, and the depth of its
// content.
type frameLine struct {
	FrameKey int `json:"frameKey"`
	Line     int `json:"line"`
	Depth    int `json:"depth"`
}

// readOnce reads the subtree that the options select, with its frames.
func (rd *Reader) readOnce(ctx context.Context, o Options) (got readResult, err error) {
	argument := map[string]any{
		"mode": scriptMode(o.Mode), "depth": o.Depth, "head": o.MaxBytes + aheadBytes,
		"boxes": o.Boxes, "values": o.Values, "hidden": o.Hidden, "sigil": o.sigil, "part": o.MainPart,
	}
	if o.Diff || o.Mode == ModeMarkdown {
		argument["head"] = unlimited
	}
	read := func(w *document.World) error {
		got = readResult{}
		if err := rd.readWorld(ctx, w, argument, &got); err != nil {
			return err
		}
		if o.Mode == ModeMarkdown {
			return toMarkdown(&got)
		}
		return nil
	}
	if o.Ref != "" {
		w, n, err := rd.doc.LocateRef(ctx, o.Ref)
		if err != nil {
			return got, err
		}
		argument["n"] = n
		return got, read(w)
	}
	if o.Selector != "" {
		argument["selector"] = o.Selector
	}
	return got, rd.doc.WithRetry(ctx, "read", read)
}

// readWorld reads one document and inserts the readings of its frames.
func (rd *Reader) readWorld(ctx context.Context, w *document.World, argument map[string]any, got *readResult) error {
	if argument["boxes"] == true && w.Parent != nil {
		to, err := rd.doc.FrameTransform(ctx, w)
		if err != nil {
			return err
		}
		argument["frame"] = []float64{to.A, to.B, to.C, to.D, to.E, to.F}
	}
	a, err := rd.doc.EvaluateWithShadows(ctx, w, "read", argument)
	if err == nil {
		err = a.Decode(got)
	}
	if err != nil {
		return err
	}
	if w.Parent != nil {
		got.world = w
	}
	if argument["mode"] == scriptMode(ModeMarkdown) {
		return rd.insertFrameMarkup(ctx, w, a.RemoteFrames, got, argument)
	}
	return rd.insertFrames(ctx, w, got, argument)
}

// insertFrames inserts the readings of frames into the text around them. A page with remote frames
// is read to its end at once, because a frame's reading cannot be kept in the page for later.
func (rd *Reader) insertFrames(ctx context.Context, w *document.World, got *readResult, argument map[string]any) error {
	if len(got.Frames) == 0 {
		return nil
	}
	if got.Remainder != 0 {
		var rest struct {
			Text string `json:"text"`
		}
		if err := rd.doc.EvaluateIn(ctx, w, "remainder", map[string]any{"remainder": got.Remainder}, &rest); err != nil {
			return err
		}
		got.Text, got.Remainder, got.Left = got.Text+rest.Text, 0, 0
	}
	keys := slicesx.List(got.Frames, func(d frameLine) int { return d.FrameKey })
	children := map[int]*document.World{}
	for _, child := range rd.doc.Frames.Enter(ctx, w, keys) {
		children[child.FrameKey] = child
	}
	lines, frames := strings.SplitAfter(got.Text, "\n"), frameReader{rd, w, time.Now().Add(frameRetryTime), argument, got}
	for _, d := range got.Frames {
		text, ok := frames.read(ctx, children[d.FrameKey], d)
		head := strings.TrimSuffix(lines[d.Line], "\n")
		switch {
		case !ok:
			lines[d.Line] = head + " (not readable)\n"
		case text != "":
			lines[d.Line] = head + ":\n" + indent(text, d.Depth)
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("reading the frames: %w", context.Cause(ctx))
	}
	got.Text, got.Frames = strings.Join(lines, ""), nil
	return nil
}

// A frame is read again after frameRetryPause: at least frameRetries times, and for frameRetryTime in all frames.
const (
	frameRetryPause = 50 * time.Millisecond
	frameRetryTime  = time.Second
	frameRetries    = 2
)

// frameReader reads the frames of a document, and again until a time.
type frameReader struct {
	*Reader
	parent   *document.World
	until    time.Time
	argument map[string]any
	out      *readResult
}

// read reads a frame, and enters it anew where its document was replaced before it was read, as while it moves to
// another process. A frame that does not answer in time is read once.
func (fr frameReader) read(ctx context.Context, w *document.World, at frameLine) (text string, ok bool) {
	for try := 0; ; try++ {
		begun, limit := time.Now(), time.Duration(document.Remaining(ctx, document.FrameTimeout))*time.Millisecond
		text, ok = fr.readFrame(ctx, w, at.Depth, fr.argument, fr.out)
		if ok || time.Since(begun) > limit/2 || try >= frameRetries && time.Now().After(fr.until) || settle.Pause(ctx, frameRetryPause) != nil {
			return text, ok
		}
		w = nil
		if found := fr.doc.Frames.Enter(ctx, fr.parent, []int{at.FrameKey}); len(found) > 0 {
			w = found[0]
		}
	}
}

// readFrame reads the whole document of a frame and the frames in it.
func (rd *Reader) readFrame(
	ctx context.Context, w *document.World, depth int, argument map[string]any, out *readResult,
) (string, bool) {
	if w == nil {
		return "", false
	}
	own := maps.Clone(argument)
	delete(own, "n")
	delete(own, "selector")
	delete(own, "part")
	own["head"] = unlimited
	if limit, _ := argument["depth"].(int); limit > 0 {
		if limit <= depth {
			return "", true
		}
		own["depth"] = limit - depth
	}
	limit := time.Duration(document.Remaining(ctx, document.FrameTimeout)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var got readResult
	if err := rd.readWorld(ctx, w, own, &got); err != nil {
		return "", false
	}
	if out.Hidden != nil && got.Hidden != nil {
		out.Hidden.Places += got.Hidden.Places
		out.Hidden.Characters += got.Hidden.Characters
	}
	return got.Text, true
}

// unlimited is a budget that no text reaches.
const unlimited = 1 << 30

// indent indents every line to a depth of the outline.
func indent(text string, depth int) string {
	pad := strings.Repeat("  ", depth)
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(pad)
		b.WriteString(line)
	}
	return b.String()
}
