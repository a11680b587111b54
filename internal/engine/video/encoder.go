package video

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/fault"
)

//go:embed encode.js
var encodeScript string

const (
	// origin is the origin of the encoding page: WebCodecs needs a secure context.
	origin = "https://callsheet.invalid"
	// quantizer is the constant quality, 0 (best) to 63.
	quantizer = 28
	// maxGap is the longest time between two frames of a file.
	maxGap = time.Second
	// keyInterval is the longest time between two frames at which a player can begin.
	keyInterval = 4 * time.Second
	// minGap is the shortest time between two frames. Files state it as the duration of each: Chromium
	// takes a guess for it otherwise, and shows the frame before that of the time that it seeks.
	minGap = 10 * time.Millisecond
)

// Frame is a picture of a video.
type Frame struct {
	At   time.Duration // since the beginning of the video
	JPEG []byte
}

// Format is the size and the duration of a video. A picture of another size is scaled down to fit.
type Format struct {
	Width, Height int           // in pixels; odd numbers are rounded down
	Duration      time.Duration // the last frame is shown until then
}

// Encoder makes video files of pictures. Each encoding has a headless Chromium of its own.
type Encoder struct {
	config browser.Config
	// place has one slot, held by the encoding that runs.
	place chan struct{}
}

// NewEncoder returns an encoder that uses the Chromium of a configuration, with its switches. It starts
// nothing.
func NewEncoder(cfg browser.Config) *Encoder {
	return &Encoder{
		config: browser.Config{Executable: cfg.Executable, Args: cfg.Args, Headless: true, Logger: cfg.Logger},
		place:  make(chan struct{}, 1),
	}
}

// Check returns the error for a machine without Chromium.
func (e *Encoder) Check() error {
	_, err := chromium.FindExecutable(e.config.Executable)
	return err
}

// Encode writes a WebM file of VP9. frames are in order of time, and are read one at a time. The file has
// its duration, and cues for seeking. One encoding runs at a time; others wait. The errors are those of
// frames, of the browser and of the file.
func (e *Encoder) Encode(ctx context.Context, frames iter.Seq2[Frame, error], format Format, out *os.File) (err error) {
	format.Width, format.Height = format.Width&^1, format.Height&^1
	if format.Width <= 0 || format.Height <= 0 {
		return fault.New(codes.Failed, "encode the video: its pictures are empty")
	}
	select {
	case e.place <- struct{}{}:
		defer func() { <-e.place }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	b := browser.New(e.config)
	defer func() { _ = b.Close(context.WithoutCancel(ctx)) }() // the video is complete without it
	return b.WithScratchPage(ctx, origin, func(session cdp.Session) error {
		page, err := openEncoder(ctx, session, format)
		if err != nil {
			return err
		}
		file, err := newMuxer(out, format)
		if err != nil {
			return err
		}
		err = page.encodeAll(ctx, frames, format.Duration, file)
		if closed := file.close(); err == nil {
			err = closed
		}
		return err
	})
}

// encoderPage is the encoder in its page.
type encoderPage struct {
	session cdp.Session
	object  runtime.RemoteObjectID
}

// chunk is an encoded frame.
type chunk struct {
	Key  bool   `json:"key"`
	At   int64  `json:"at"` // µs
	Data []byte `json:"data"`
}

func openEncoder(ctx context.Context, session cdp.Session, f Format) (*encoderPage, error) {
	options, err := json.Marshal(map[string]int{"width": f.Width, "height": f.Height, "quantizer": quantizer})
	if err != nil {
		return nil, err
	}
	yes := true
	res, err := cdp.Call(ctx, session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fmt.Sprintf("(%s)(%s)", encodeScript, options), AwaitPromise: &yes,
	})
	if err != nil {
		return nil, fmt.Errorf("open the encoder: %w", err)
	}
	if d := res.ExceptionDetails; d != nil {
		return nil, exception("open the encoder", d)
	}
	return &encoderPage{session, res.Result.ObjectID}, nil
}

// call calls a method of the encoder and returns the chunks that are ready.
func (p *encoderPage) call(ctx context.Context, method string, args ...any) (out []chunk, err error) {
	yes := true
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: fmt.Sprintf("function(...args) { return this.%s(...args); }", method),
		ObjectID:            p.object, AwaitPromise: &yes, ReturnByValue: &yes,
	}
	for _, a := range args {
		value, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: value})
	}
	res, err := cdp.Call(ctx, p.session, runtime.CallFunctionOn, params)
	if err != nil {
		return nil, fmt.Errorf("encode the video: %w", err)
	}
	if d := res.ExceptionDetails; d != nil {
		return nil, exception("encode the video", d)
	}
	if err := json.Unmarshal(res.Result.Value, &out); err != nil {
		return nil, fmt.Errorf("decode the chunks of the video: %w", err)
	}
	return out, nil
}

func exception(doing string, d *runtime.ExceptionDetails) error {
	said := d.Text
	if d.Exception != nil && d.Exception.Description != "" {
		said = d.Exception.Description
	}
	return fault.New(codes.Failed, doing+": "+said)
}

// film is a file that is being encoded.
type film struct {
	page  *encoderPage
	file  *muxer
	begun bool
	last  time.Duration // of the latest frame
	key   time.Duration // of the latest key frame
}

// encodeAll encodes the frames, and repeats of those that are shown for long, into a file.
func (p *encoderPage) encodeAll(ctx context.Context, frames iter.Seq2[Frame, error], end time.Duration, file *muxer) error {
	out := &film{page: p, file: file}
	for f, err := range frames {
		if err != nil {
			return err
		}
		at := f.At
		if out.begun {
			at = max(at, out.last+minGap)
		}
		if err := out.repeatUntil(ctx, at); err != nil {
			return err
		}
		if err := out.encode(ctx, at, "add", f.JPEG); err != nil {
			return err
		}
	}
	if !out.begun {
		return fault.New(codes.Failed, "encode the video: it has no pictures")
	}
	if err := out.repeatUntil(ctx, end); err != nil {
		return err
	}
	if end > out.last { // players end at the last frame
		if err := out.encode(ctx, end, "repeat"); err != nil {
			return err
		}
	}
	chunks, err := p.call(ctx, "finish")
	if err != nil {
		return err
	}
	return file.add(chunks)
}

// encode encodes a frame by a method of the page.
func (f *film) encode(ctx context.Context, at time.Duration, method string, picture ...any) error {
	key := !f.begun || at-f.key >= keyInterval
	if key {
		f.key = at
	}
	f.last, f.begun = at, true
	chunks, err := f.page.call(ctx, method, append(picture, at.Microseconds(), key)...)
	if err != nil {
		return err
	}
	return f.file.add(chunks)
}

// repeatUntil repeats the latest picture until the next frame, or the end, is near.
func (f *film) repeatUntil(ctx context.Context, at time.Duration) error {
	for f.begun && at-f.last > maxGap {
		if err := f.encode(ctx, f.last+maxGap, "repeat"); err != nil {
			return err
		}
	}
	return nil
}
