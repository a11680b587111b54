package batch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset/batchapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// maxPage bounds what is read of one page, in bytes.
const maxPage = 200_000

// pollInterval is the time between two checks of an unchanged page while there is time.
const pollInterval = 150 * time.Millisecond

// capturedPage is one page of a series.
type capturedPage struct {
	number int
	url    string
	text   string        // as the capture mode has it; "" for pictures alone
	taken  capture.Image // where pictures are asked for, until it is kept
	shot   artifact.Artifact
	mark   [sha256.Size]byte // of what it shows
}

// series is the reading of one series of pages.
type series struct {
	t          *Tools
	call       *toolkit.Call
	in         batchapi.BatchPaginateParams
	tab        *browser.Tab
	navigation power.Navigation

	sheets []capturedPage
	seen   map[string]bool // lines of a scrolled page that earlier parts had
}

// seriesEnd is why a series ended. It is an error, so that the steps of a series have one way out.
type seriesEnd string

func (e seriesEnd) Error() string { return string(e) }

// BatchPaginate reads a series of pages.
func (t *Tools) BatchPaginate(ctx context.Context, call *toolkit.Call, in batchapi.BatchPaginateParams, powers batchapi.BatchPaginatePowers) (toolkit.Result, error) {
	if in.Strategy == batchapi.BatchPaginateStrategyURL && !isTemplate(in.URLTemplate.Value) {
		return toolkit.Result{}, toolkit.Violations{{Path: "/urlTemplate", Problem: "has neither {page} nor {offset}"}}
	}
	s := &series{t: t, call: call, in: in, navigation: powers.Navigation(), seen: make(map[string]bool)}
	tab, err := t.tab(ctx, call, powers.Window(), in)
	if err != nil {
		return toolkit.Result{}, err
	}
	s.tab = tab
	begun := time.Now()
	why := s.run(ctx)
	if len(s.sheets) == 0 {
		var e seriesEnd
		if errors.As(why, &e) {
			return toolkit.Result{}, toolkit.Refuse(codes.NotFound, string(e))
		}
		return toolkit.Result{}, why
	}
	return s.seriesResult(ctx, why, time.Since(begun))
}

// isTemplate reports whether an address differs from page to page.
func isTemplate(address string) bool {
	return slices.ContainsFunc([]string{"{page}", "{N}", "{offset}"}, func(part string) bool { return strings.Contains(address, part) })
}

// tab is the tab that a call addresses. Addresses can be gone through without one: then a tab is
// opened for them.
func (t *Tools) tab(ctx context.Context, call *toolkit.Call, w power.Window, in batchapi.BatchPaginateParams) (*browser.Tab, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if in.Strategy != batchapi.BatchPaginateStrategyURL || in.TabID.Set || !errors.Is(err, browser.ErrNoTab) {
		return tab, err
	}
	session, err := t.sessions.Active(call)
	if err != nil {
		return nil, err
	}
	return session.OpenBlank(ctx, w)
}

// run captures pages until something ends the series, and returns what did.
func (s *series) run(ctx context.Context) error {
	for n := range s.in.TotalPages {
		number := s.in.StartPage + n
		if err := s.advance(ctx, n, number); err != nil {
			return err
		}
		if err := s.capture(ctx, number); err != nil {
			return err
		}
		s.call.Progress(float64(n+1), float64(s.in.TotalPages), fmt.Sprintf("page %d", number))
	}
	return seriesEnd(fmt.Sprintf("totalPages: %d pages were read", s.in.TotalPages))
}

// capture adds the page that is shown now, unless it was captured before.
func (s *series) capture(ctx context.Context, number int) error {
	until := time.Now().Add(time.Duration(s.in.WaitMs) * time.Millisecond)
	for {
		sh, err := s.read(ctx, number)
		if err != nil {
			return err
		}
		again := s.captured(sh)
		if again == nil {
			return s.add(ctx, sh)
		}
		if again != &s.sheets[len(s.sheets)-1] {
			return seriesEnd(fmt.Sprintf("page %d shows what page %d did: the series has come round", number, again.number))
		}
		if time.Now().After(until) {
			return seriesEnd(fmt.Sprintf("page %d shows what page %d did", number, again.number))
		}
		if err := settle.Pause(ctx, pollInterval); err != nil {
			return err
		}
	}
}

// captured is the page that shows the same, or nil.
func (s *series) captured(sh capturedPage) *capturedPage {
	for i := range s.sheets {
		if s.sheets[i].mark == sh.mark {
			return &s.sheets[i]
		}
	}
	return nil
}

// read reads the current page. Its text identifies it, and its picture if pictures are requested: a
// page that draws on a canvas has no text.
func (s *series) read(ctx context.Context, number int) (capturedPage, error) {
	mode := read.ModeMarkdown
	if s.in.CaptureMode == batchapi.BatchPaginateCaptureModeDOM {
		mode = read.ModeDOM
	}
	sh := capturedPage{number: number}
	var at string
	err := s.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		r, err := p.Read.Page(ctx, read.Options{Mode: mode, MaxBytes: maxPage})
		sh.url, sh.text = r.URL, r.Text
		at = fmt.Sprint(r.Scroll)
		return err
	})
	if err != nil {
		return sh, err
	}
	sum := sha256.New()
	_, _ = sum.Write([]byte(sh.text)) // never fails
	if s.in.Strategy == batchapi.BatchPaginateStrategyScroll {
		_, _ = sum.Write([]byte(at))
	}
	if s.pictures() {
		if sh.taken, err = capture.Screenshot(ctx, s.tab, capture.Options{Format: capture.PNG}); err != nil {
			return sh, err
		}
		_, _ = sum.Write(sh.taken.Data)
	}
	copy(sh.mark[:], sum.Sum(nil))
	return sh, nil
}

func (s *series) pictures() bool {
	return s.in.CaptureMode == batchapi.BatchPaginateCaptureModeScreenshot || s.in.CaptureMode == batchapi.BatchPaginateCaptureModeBoth
}

// add keeps a page, its picture as an artifact.
func (s *series) add(ctx context.Context, sh capturedPage) error {
	if s.in.Strategy == batchapi.BatchPaginateStrategyScroll {
		sh.text = s.newText(sh.text)
	}
	if s.in.CaptureMode == batchapi.BatchPaginateCaptureModeScreenshot {
		sh.text = ""
	}
	if s.pictures() {
		var err error
		if sh.shot, err = s.t.store(ctx, s.call, fmt.Sprintf("page-%d.png", sh.number), sh.taken.MIME, sh.taken.Data); err != nil {
			return err
		}
		sh.taken = capture.Image{}
	}
	s.sheets = append(s.sheets, sh)
	return nil
}

// newText returns the text of a scrolled page that no earlier part had: a page that grows is read once.
func (s *series) newText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if key := strings.TrimSpace(line); key != "" && !s.seen[key] {
			s.seen[key] = true
			b.WriteString(line)
		}
	}
	return b.String()
}
