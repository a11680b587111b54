package page

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
)

// Mode is how much of a page a reading shows.
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
)

// DefaultReadBytes is the budget of a reading that names none.
const DefaultReadBytes = 24_000

// ReadOptions says what to read. The zero value is the whole page, compact.
type ReadOptions struct {
	Mode Mode
	// Depth limits the levels shown; 0 is all. What is cut ends in "…".
	Depth int
	// Ref or Selector read the subtree of one element.
	Ref      string
	Selector string
	// MaxBytes is the hard limit of Reading.Text; 0 is DefaultReadBytes.
	MaxBytes int
	// Continue is the Next of an earlier reading; all but MaxBytes is then
	// ignored and the same reading goes on where it was cut.
	Continue string
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
	// Truncated says that MaxBytes cut the text; Next continues it.
	Truncated bool   `json:"truncated,omitempty"`
	Next      string `json:"next,omitempty"`
	// Scroll is how far the document is scrolled, in Document's coordinates.
	Scroll   Point `json:"scroll"`
	Viewport Size  `json:"viewport"`
	Document Size  `json:"document"`
}

// storedReading is a reading kept while it may be continued. Its text is what
// has crossed over so far; rest names the remainder the page still holds.
type storedReading struct {
	id     int
	loader cdp.LoaderID
	whole  Reading
	rest   int
}

// readingsKept is how many cut readings a page can continue at a time.
const readingsKept = 4

// Read shows the page. With a continuation it answers from the reading that
// was cut and does not look at the page again, so that no line is missed or
// repeated; that fails with [StaleContinuationError] once the document changed.
func (p *Page) Read(ctx context.Context, o ReadOptions) (Reading, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultReadBytes
	}
	if o.Continue != "" {
		return p.resume(ctx, o)
	}
	argument := map[string]any{"mode": scriptMode(o.Mode), "depth": o.Depth, "head": o.MaxBytes + 1}
	if o.Ref != "" {
		n, err := p.known(o.Ref)
		if err != nil {
			return Reading{}, err
		}
		argument["n"] = n
	} else if o.Selector != "" {
		argument["selector"] = o.Selector
	}
	var got struct {
		Reading
		Rest int `json:"rest"`
	}
	ask := p.askAgain
	if o.Ref != "" {
		ask = p.ask
	}
	if err := ask(ctx, "read", argument, &got); err != nil {
		return Reading{}, nameSelector(p.refuse(ctx, o.Ref, err), o.Selector)
	}
	if got.Rest == 0 && len(got.Text) <= o.MaxBytes {
		return got.Reading, nil
	}
	p.readingSeq++
	p.readings = append(p.readings, storedReading{id: p.readingSeq, loader: p.loader, whole: got.Reading, rest: got.Rest})
	if len(p.readings) > readingsKept {
		p.readings = p.readings[1:]
	}
	return p.readings[len(p.readings)-1].piece(0, o.MaxBytes), nil
}

func scriptMode(m Mode) int {
	switch m {
	case ModeInteractive:
		return 0
	case ModeFull:
		return 2
	default:
		return 1
	}
}

func (p *Page) resume(ctx context.Context, o ReadOptions) (Reading, error) {
	id, offset, ok := parseContinuation(o.Continue)
	stale := &StaleContinuationError{Handle: o.Continue}
	if !ok {
		stale.Reason = "it is no continuation handle"
		return Reading{}, stale
	}
	if _, err := p.install(ctx); err != nil {
		return Reading{}, err
	}
	for i := range p.readings {
		r := &p.readings[i]
		if r.id != id {
			continue
		}
		if r.loader != p.loader {
			stale.Reason = "the document was replaced"
			return Reading{}, stale
		}
		if err := p.fetchRest(ctx, r); err != nil {
			return Reading{}, fmt.Errorf("continuing the reading: %w", err)
		}
		if offset > len(r.whole.Text) || r.rest != 0 {
			break
		}
		return r.piece(offset, o.MaxBytes), nil
	}
	stale.Reason = "that reading is no longer kept"
	return Reading{}, stale
}

// fetchRest completes a reading's text, once. A remainder the page has let go
// leaves r.rest as it was.
func (p *Page) fetchRest(ctx context.Context, r *storedReading) error {
	if r.rest == 0 {
		return nil
	}
	var got struct {
		Text *string `json:"text"`
	}
	if err := p.ask(ctx, "rest", map[string]any{"rest": r.rest}, &got); err != nil {
		return p.refuse(ctx, "", err)
	}
	if got.Text != nil {
		r.whole.Text, r.rest = r.whole.Text+*got.Text, 0
	}
	return nil
}

// piece is the part of the reading from offset that fits the budget.
func (r *storedReading) piece(offset, budget int) Reading {
	out := r.whole
	text := cutLines(r.whole.Text[offset:], budget)
	out.Text = text
	if end := offset + len(text); end < len(r.whole.Text) || r.rest != 0 {
		out.Truncated, out.Next = true, continuation(r.id, end)
	}
	return out
}

// cutLines is the longest prefix of whole lines within budget bytes. A line
// that alone exceeds the budget is cut between characters, for a reading that
// never advances would never end.
func cutLines(text string, budget int) string {
	if len(text) <= budget {
		return text
	}
	if end := strings.LastIndexByte(text[:budget], '\n'); end >= 0 {
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
