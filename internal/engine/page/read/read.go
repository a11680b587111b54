package read

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
)

// Reader reads one tab's document, and keeps readings that may be continued or compared.
type Reader struct {
	doc      *document.Document
	readings []storedReading
	// readingSeq numbers readings for their continuation handles.
	readingSeq int
	// snapshot is the latest snapshot. Only its refs can be clicked as those of a snapshot.
	snapshot Snapshot
}

// New makes the reader of a document.
func New(d *document.Document) *Reader { return &Reader{doc: d} }

// Replace continues the numbers of the reader of the tab's previous page.
func (rd *Reader) Replace(other *Reader) { rd.readingSeq = other.readingSeq }

// Mode selects the parts of a page that a reading shows.
type Mode int

// The modes, by the names tools use for them.
const (
	// ModeCompact is text and controls; the default.
	ModeCompact Mode = iota
	// ModeInteractive is controls alone, in the landmarks that hold them.
	ModeInteractive
	// ModeFull is every element with a role, each with a ref, with whole
	// addresses, values and descriptions.
	ModeFull
	// ModeDOM is visible elements as tags, with their text; runs of similar elements are shortened.
	ModeDOM
	// ModeCSS is the computed styles of a subtree, after a summary of the page's styles for a whole
	// page.
	ModeCSS
	// ModeMarkdown is the visible content as Markdown, without refs.
	ModeMarkdown
)

// DefaultBytes is the budget of a reading that names none.
const DefaultBytes = 24_000

// Options selects the part and the form of a reading. The zero value is the whole page, compact.
type Options struct {
	Mode Mode
	// Depth limits the levels shown; 0 is all. What is cut ends in "…".
	Depth int
	// Ref or Selector read the subtree of one element.
	Ref      string
	Selector string
	// Diff shows only the difference to the last reading of the same kind; all when this document
	// has none.
	Diff bool
	// Boxes adds the box of each ref, in CSS pixels of the top viewport. Not in Markdown.
	Boxes bool
	// Values shows also the text that a person typed into fields, else "filled". Secrets are masked.
	Values bool
	// Hidden also counts the text that is omitted because no person could see it.
	Hidden bool
	// MaxBytes is the hard limit of Reading.Text; 0 is DefaultReadBytes.
	MaxBytes int
	// Continue is the Next of an earlier reading. It continues that reading and ignores all options
	// but MaxBytes.
	Continue string
	// MainPart reads the topmost dialog or the main element of a page whose text exceeds MaxBytes.
	MainPart bool
	// sigil precedes each ref in the text.
	sigil string
}

// Size is a width and a height in CSS pixels.
type Size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Reading is a page as text: an indented outline, one node per line, such as
//
//   - button "Save" [e12] disabled
type Reading struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Unchanged says that a requested diff is empty; IsDiff that Text is a diff.
	Unchanged bool `json:"-"`
	IsDiff    bool `json:"-"`
	// Empty says that the document has no root element.
	Empty bool `json:"empty,omitempty"`
	// ContentType is the type of a document that is no HTML, such as application/pdf; else "".
	ContentType string `json:"contentType,omitempty"`
	// Loading says that the page is about to change and shows no control yet; see page.ReadLoaded.
	Loading bool `json:"loading,omitempty"`
	// DocumentCut is the bytes after which the load of the document, or of a frame, was stopped, or 0.
	DocumentCut int64 `json:"documentCut,omitempty"`
	// NoDiff says why Text is no diff although one was requested.
	NoDiff string `json:"-"`
	// Part is the element that was read in place of the page; see [Options.MainPart].
	Part *document.Element `json:"part,omitempty"`
	// Hidden counts the omitted text, if requested.
	Hidden *HiddenText `json:"hidden,omitempty"`
	// Truncated says that MaxBytes cut the text; Next continues it.
	Truncated bool   `json:"truncated,omitempty"`
	Next      string `json:"next,omitempty"`
	// Left is about how many bytes of the text follow.
	Left int `json:"-"`
	// Scroll is the scroll position of the document, in Document's coordinates.
	Scroll   document.Point `json:"scroll"`
	Viewport Size           `json:"viewport"`
	Document Size           `json:"document"`
}

// HiddenText counts text of the page that no person can see: hidden, transparent, clipped or
// displaced, of its background's colour, or of characters without a shape.
type HiddenText struct {
	Places     int `json:"places"`
	Characters int `json:"characters"`
}

// storedReading is a reading kept while it may be continued. Its text is the part that has arrived;
// remainder names the rest, which the page holds.
type storedReading struct {
	id        int
	loader    cdp.LoaderID
	whole     Reading
	remainder int
	left      int // characters of the remainder
	// world is the document that holds the remainder; nil is the top one.
	world *document.World
	// source is the text that a later reading of the same kind is compared with, before its
	// remainder.
	source, kind string
	// part says that it is of one element.
	part bool
}

// maxStoredReadings bounds the truncated readings that can be continued at a time.
const maxStoredReadings = 8

// Page reads the page. With a continuation it returns the next part of the truncated reading and
// does not read the page again, so that no line is missing or repeated. It fails with a
// [StaleContinuationError] once the document was replaced.
func (rd *Reader) Page(ctx context.Context, o Options) (Reading, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultBytes
	}
	if o.Continue != "" {
		return rd.continueReading(ctx, o)
	}
	got, err := rd.readOnce(ctx, o)
	if err != nil {
		return Reading{}, document.NameSelector(rd.doc.Translate(ctx, o.Ref, err), o.Selector)
	}
	got.DocumentCut = rd.doc.Tracker.CutAt()
	if o.Diff {
		if err := rd.diffReading(ctx, o, &got); err != nil {
			return Reading{}, fmt.Errorf("comparing with the last reading: %w", err)
		}
	}
	return rd.storeReading(ctx, o, got), nil
}

// storeReading keeps a reading for continuations and diffs and returns its first part.
func (rd *Reader) storeReading(ctx context.Context, o Options, got readResult) Reading {
	if got.Part != nil {
		o.Ref = got.Part.Ref
	}
	rd.readingSeq++
	kept := storedReading{id: rd.readingSeq, loader: rd.doc.Loader(), whole: got.Reading, remainder: got.Remainder, left: got.Left}
	kept.source, kept.world, kept.kind, kept.part = got.source, got.world, o.kind(), o.Ref+o.Selector != ""
	if kept.source == "" {
		kept.source = got.Text
	}
	rd.readings = append(rd.readings, kept)
	if len(rd.readings) > maxStoredReadings {
		rd.readings = slices.Delete(rd.readings, rd.leastUseful(), rd.leastUseful()+1)
	}
	return rd.readings[len(rd.readings)-1].piece(ctx, 0, o.MaxBytes)
}

// leastUseful returns the reading to drop: the oldest that is of a part or has a successor of its kind,
// because differences are to the latest reading of the page.
func (rd *Reader) leastUseful() int {
	last := len(rd.readings) - 1
	for i, r := range rd.readings[:last] {
		if r.part || slices.ContainsFunc(rd.readings[i+1:], func(later storedReading) bool { return later.kind == r.kind }) {
			return i
		}
	}
	return 0
}

// kind distinguishes readings that cannot be compared.
func (o Options) kind() string {
	return fmt.Sprintf("%d/%d/%s/%s/%t/%t", o.Mode, o.Depth, o.Ref, o.Selector, o.Boxes, o.Values)
}

func scriptMode(m Mode) int {
	switch m {
	case ModeInteractive:
		return 0
	case ModeFull:
		return 2
	case ModeDOM:
		return 3
	case ModeCSS:
		return 4
	case ModeMarkdown:
		return 5
	default:
		return 1
	}
}

func (rd *Reader) continueReading(ctx context.Context, o Options) (Reading, error) {
	id, offset, ok := parseContinuation(o.Continue)
	stale := &StaleContinuationError{Handle: o.Continue}
	if !ok {
		stale.Reason = "it is no continuation handle"
		return Reading{}, stale
	}
	if _, err := rd.doc.TopWorld(ctx); err != nil {
		return Reading{}, err
	}
	for i := range rd.readings {
		r := &rd.readings[i]
		if r.id != id {
			continue
		}
		if r.loader != rd.doc.Loader() {
			stale.Reason = "the document was replaced"
			return Reading{}, stale
		}
		if err := rd.fetchRemainder(ctx, r); err != nil {
			return Reading{}, fmt.Errorf("continuing the reading: %w", err)
		}
		if offset > len(r.whole.Text) || r.remainder != 0 {
			break
		}
		return r.piece(ctx, offset, o.MaxBytes), nil
	}
	stale.Reason = "that reading is no longer kept"
	return Reading{}, stale
}

// fetchRemainder completes a reading's text, once. If the page no longer holds the remainder,
// r.remainder stays set.
func (rd *Reader) fetchRemainder(ctx context.Context, r *storedReading) error {
	if r.remainder == 0 {
		return nil
	}
	var got struct {
		Text *string `json:"text"`
	}
	w := r.world
	if w == nil {
		var err error
		if w, err = rd.doc.TopWorld(ctx); err != nil {
			return err
		}
	}
	if err := rd.doc.EvaluateIn(ctx, w, "remainder", map[string]any{"remainder": r.remainder}, &got); err != nil {
		return rd.doc.Translate(ctx, "", err)
	}
	if got.Text != nil {
		r.whole.Text, r.source, r.remainder = r.whole.Text+*got.Text, r.source+*got.Text, 0
		r.left = 0
	}
	return nil
}

// piece returns the part of the reading from offset that fits the budget, in bytes. Secrets are redacted before the
// cut: a caller who chooses where to cut would get one in two parts, of which neither is recognised.
func (r *storedReading) piece(ctx context.Context, offset, budget int) Reading {
	out, whole := r.whole, r.whole.Text
	switch shown := secret.Shown(ctx); {
	case r.remainder != 0: // it may begin within a secret
		whole = strings.TrimSuffix(shown(whole+ellipsis), ellipsis)
	case offset > 0 || len(whole) > budget:
		whole = shown(whole)
	}
	offset = min(offset, len(whole))
	out.Text = cutLines(whole[offset:], budget)
	if end := offset + len(out.Text); end < len(whole) || r.remainder != 0 {
		out.Truncated, out.Next = true, continuation(r.id, end)
		out.Left = len(whole) - end + r.left
	}
	return out
}

// ellipsis marks a text that was cut.
const ellipsis = "…"

// aheadBytes is how much more of a text the page gives than a reading shows, so that a secret at the cut is whole.
const aheadBytes = 1 << 10

// cutLines returns the longest prefix of whole lines within budget bytes. Where whole lines would use less
// than half of the budget, it cuts a line between characters: every reading ends, and none ends early
// before a long line.
func cutLines(text string, budget int) string {
	if len(text) <= budget {
		return text
	}
	if end := strings.LastIndexByte(text[:budget], '\n'); end >= budget/2 {
		return text[:end+1]
	}
	end := budget
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if end == 0 {
		_, end = utf8.DecodeRuneInString(text)
	}
	return text[:end]
}

func continuation(id, offset int) string { return fmt.Sprintf("r%d@%d", id, offset) }

func parseContinuation(handle string) (id, offset int, ok bool) {
	left, right, found := strings.Cut(handle, "@")
	digits, marked := strings.CutPrefix(left, "r")
	if !found || !marked {
		return 0, 0, false
	}
	id, err := strconv.Atoi(digits)
	if err != nil {
		return 0, 0, false
	}
	offset, err = strconv.Atoi(right)
	return id, offset, err == nil && offset >= 0
}
