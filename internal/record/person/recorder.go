package person

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session"
)

// Config holds the dependencies of a recorder.
type Config struct {
	Set   *session.Set // whose tabs may be recorded
	Steps Steps
	// Redact takes the vault's secrets out of what an assertion compares; nil changes nothing.
	Redact func(string) string
	// EveryTab records every tab of the browser, as in one that was started for this. Otherwise only
	// the first tab is recorded, and those that recorded tabs open.
	EveryTab bool
	Logger   *slog.Logger // nil discards
}

// Recorder records the person in one tab and in the tabs that it opens. Its methods are safe for
// concurrent use.
type Recorder struct {
	cfg     Config
	script  script
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{} // closed when everything is stored
	unwatch func()

	// Of the loop, by the ids of tabs.
	tabs     map[string]*tab
	seen     map[string]bool // it was decided whether they are recorded
	recorded map[string]bool // they are, or were until they closed

	following int // tabs that were opened and are not followed yet; of the loop

	mu    sync.Mutex
	queue []func()
	added chan struct{} // one slot
}

// searchInterval is the time between two searches for tabs that the person opened.
const searchInterval = 500 * time.Millisecond

// Start records a tab until Stop is called, the person stops, or no recorded tab is left.
func Start(ctx context.Context, first *browser.Tab, cfg Config) (*Recorder, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Recorder{
		cfg: cfg, script: script{steps: cfg.Steps, now: time.Now}, done: make(chan struct{}), added: make(chan struct{}, 1),
		tabs: make(map[string]*tab), seen: make(map[string]bool), recorded: make(map[string]bool),
	}
	for _, t := range cfg.Set.Tabs() { // the person has opened none of these
		r.seen[t.ID()] = true
	}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := r.follow(ctx, first); err != nil {
		r.cancel()
		return nil, err
	}
	r.unwatch = cfg.Set.Watch(func() { r.add(r.findTabs) })
	go r.run()
	return r, nil
}

// Opening records that a tab is about to load an address, which the caller does next.
func (r *Recorder) Opening(t *browser.Tab, address string) {
	r.add(func() {
		if followed := r.tabs[t.ID()]; followed != nil {
			followed.opening = true
			step := recorder.ManualStep{Tool: toolset.ToolNavigate, Args: map[string]any{"url": address}, Summary: "opened " + address}
			r.script.plain(place{tab: t.ID(), url: address}, step)
		}
	})
}

// Done is closed when the recording has ended and its steps are queued.
func (r *Recorder) Done() <-chan struct{} { return r.done }

// Stop ends the recording and removes what it put into the pages.
func (r *Recorder) Stop() {
	r.add(func() {
		for _, t := range r.tabs {
			t.flush(r.ctx)
		}
		r.add(r.cancel)
	})
	<-r.done
}

// add queues work for the loop.
func (r *Recorder) add(work func()) {
	r.mu.Lock()
	r.queue = append(r.queue, work)
	r.mu.Unlock()
	select {
	case r.added <- struct{}{}:
	default:
	}
}

func (r *Recorder) take() []func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.queue
	r.queue = nil
	return out
}

// run handles events in the order of their arrival.
func (r *Recorder) run() {
	defer close(r.done)
	defer r.leave()
	search := time.NewTicker(searchInterval)
	defer search.Stop()
	for {
		select {
		case <-r.added:
		case <-search.C:
			r.add(r.findNewPages)
		}
		for _, work := range r.take() {
			if work(); r.ctx.Err() != nil {
				return
			}
		}
	}
}

// leave stores what is known and takes the listeners out of the pages.
func (r *Recorder) leave() {
	r.unwatch()
	r.script.learn()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), setupTimeout)
	defer cancel()
	for _, t := range r.tabs {
		t.leave(ctx)
	}
	r.cancel()
}

// findTabs follows tabs that recorded ones opened, and forgets closed ones.
func (r *Recorder) findTabs() {
	open := r.cfg.Set.Tabs()
	for _, t := range open {
		if r.seen[t.ID()] || !r.recorded[t.Opener()] {
			continue
		}
		r.seen[t.ID()] = true
		if opener := r.tabs[t.Opener()]; opener != nil {
			opener.flush(r.ctx) // the browser may tell of the tab before the page tells of the click
		}
		r.following++
		r.add(func() { r.followOpened(t) })
	}
	for id, t := range r.tabs {
		if t.tab.Closed() || !slices.Contains(open, t.tab) {
			delete(r.tabs, id)
			r.closed(t)
		}
	}
	r.endWithoutTabs()
}

func (r *Recorder) endWithoutTabs() {
	if len(r.tabs) == 0 && r.following == 0 {
		r.cancel()
	}
}

// followOpened follows a tab that the last step opened.
func (r *Recorder) followOpened(t *browser.Tab) {
	r.script.opened(t.ID())
	if err := r.follow(r.ctx, t); err != nil {
		r.cfg.Logger.Warn("record a tab", "tab", t.ID(), "error", err)
	}
	r.following--
	r.endWithoutTabs()
}

// closed records that a tab was closed. A page that closes itself does so after an action in it, which a
// replay repeats.
func (r *Recorder) closed(t *tab) {
	if len(r.tabs) == 0 || r.script.last.Tab == t.tab.ID() && slices.Contains([]string{kindClick, kindKey}, r.script.last.kind) {
		return
	}
	r.script.plain(place{tab: t.tab.ID()}, recorder.ManualStep{
		Tool: toolset.ToolTabsClose, Args: map[string]any{"tabId": t.tab.ID()}, Summary: "closed a tab",
	})
}

// findNewPages adopts the pages that the person opened without another page.
func (r *Recorder) findNewPages() {
	if !r.cfg.EveryTab {
		return
	}
	c, err := r.cfg.Set.Get("")
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.ctx, setupTimeout)
	defer cancel()
	targets, err := c.Session().Targets(ctx)
	if err != nil {
		return // the browser is about to end, and its tabs tell
	}
	for _, target := range targets {
		if target.Tab != "" || target.Kind != "page" || !isWeb(target.URL) {
			continue
		}
		t, err := c.Session().Adopt(ctx, target.ID)
		if err == nil {
			r.seen[t.ID()] = true
			err = r.follow(ctx, t)
		}
		if err != nil {
			r.cfg.Logger.Warn("record a new tab", "error", err)
			continue
		}
		r.script.plain(place{tab: t.ID(), url: t.URL()}, recorder.ManualStep{
			Tool: toolset.ToolTabsCreate, Args: map[string]any{"url": target.URL}, Summary: "opened a tab at " + target.URL,
		})
	}
}
