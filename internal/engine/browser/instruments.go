package browser

import (
	"context"
	"maps"
	"slices"

	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/browser/children"
)

// Instruments are the objects that other packages attach to a tab, one of a type: its emulation, its request
// rules, its capture.
type Instruments struct {
	tab    *Tab
	values map[any]any
	opener *Tab // the tab that opened this one, until its instruments are taken over
}

// Get returns the tab's instrument with this key, made at first use and kept as long as the
// tab: its emulation, its request rules, its capture. A key is a type of the package that owns the
// instrument.
func (i *Instruments) Get(key any, create func() any) any {
	i.tab.mu.Lock()
	defer i.tab.mu.Unlock()
	v, ok := i.values[key]
	if !ok {
		if i.values == nil {
			i.values = make(map[any]any)
		}
		v = create()
		i.values[key] = v
	}
	return v
}

// PopupInstrument is an instrument whose effect extends to the popups of its tab.
type PopupInstrument interface {
	// AppliesToPopups reports whether it has an effect now.
	AppliesToPopups() bool
	// PreparePopup sets what the popup's first request needs in a session whose commands return
	// before they are answered. It is called for popups without window.opener, before ApplyToPopup.
	PreparePopup(ctx context.Context, popup *Tab, session cdp.Session) PopupPreparation
	// ApplyToPopup is called with the popup's session while the popup attaches; the popup itself
	// answers no commands yet.
	ApplyToPopup(ctx context.Context, popup *Tab, session cdp.Session)
}

// CallInstrument is an instrument that is to know when a call works on the page.
type CallInstrument interface {
	BeginCall() (end func())
}

// beginCall tells the instruments that a call begins, and end that it has ended.
func (i *Instruments) beginCall() (end func()) {
	i.tab.mu.Lock()
	instruments := slices.Collect(maps.Values(i.values))
	i.tab.mu.Unlock()
	var ends []func()
	for _, v := range instruments {
		if c, ok := v.(CallInstrument); ok {
			ends = append(ends, c.BeginCall())
		}
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// AgentInstrument is an instrument that a second session of the page disturbs when it ends: the
// browser then forgets navigator.platform.
type AgentInstrument interface {
	RestoreAgent(ctx context.Context, session cdp.Session)
}

// restoreAgent repairs the instruments of the tab after a second session of its page has ended.
func (i *Instruments) restoreAgent() {
	if !i.tab.attachment.succeeded() {
		return
	}
	ctx, cancel := context.WithTimeout(i.tab.instance.ctx, children.SetupTimeout)
	defer cancel()
	i.tab.mu.Lock()
	instruments := slices.Collect(maps.Values(i.values))
	i.tab.mu.Unlock()
	for _, v := range instruments {
		if a, ok := v.(AgentInstrument); ok {
			a.RestoreAgent(ctx, i.tab.cdp)
		}
	}
}

// PopupPreparation is the work on a popup that PreparePopup leaves for later. Each field may be nil.
type PopupPreparation struct {
	// Event receives the events of the session, under the rules of Listen.
	Event func(event any)
	// Finish is called when the popup has attached. The session ends when it returns.
	Finish func(ctx context.Context)
}

// forPopups returns the instruments that apply to the popups of the tab.
func (i *Instruments) forPopups() (out []PopupInstrument) {
	i.tab.mu.Lock()
	instruments := slices.Collect(maps.Values(i.values))
	i.tab.mu.Unlock()
	for _, v := range instruments {
		if h, ok := v.(PopupInstrument); ok && h.AppliesToPopups() {
			out = append(out, h)
		}
	}
	return out
}

// ofOpener returns the instruments that the tab takes over from its opener while it
// attaches.
func (i *Instruments) ofOpener() []PopupInstrument {
	i.tab.mu.Lock()
	opener := i.opener
	i.tab.mu.Unlock()
	if opener == nil {
		return nil
	}
	return opener.Instruments.forPopups()
}

// inherit applies the instruments of the opener to a popup. In a browser that was launched
// elsewhere, the popup's first request has already started; see HoldPopups.
func (i *Instruments) inherit(ctx context.Context) {
	for _, h := range i.ofOpener() {
		h.ApplyToPopup(ctx, i.tab, i.tab.cdp)
	}
	i.tab.mu.Lock()
	defer i.tab.mu.Unlock()
	i.opener = nil // a closed opener is not kept alive by its popups
}

// HoldPopups makes the browser hold new pages until the tab that opened them has applied its
// instruments. An instrument calls it when AppliesToPopups becomes true.
func (i *Instruments) HoldPopups(ctx context.Context) {
	e := i.tab.instance
	if e.remote != nil {
		return
	}
	e.holdMu.Lock()
	defer e.holdMu.Unlock()
	if e.holdsPages.Load() {
		return
	}
	if err := e.conn.HoldNew(ctx, "page"); err != nil {
		i.tab.session.browser.log.Warn("hold new pages", "tab", i.tab.id, "error", err)
		return
	}
	e.holdsPages.Store(true)
}
