// Package observer sees for a recorder what a call does to a session's browser: which elements its arguments name, which tabs
// it opens, what is asked of the network and said to the console, and how the page looks afterwards.
//
// It only looks on: nothing is news to the client afterwards that was not before, and whatever cannot be seen in time is left
// out. It must not know what becomes of what it saw, nor which tool is called.
package observer

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session"
)

// How long looking may take. A page that does not answer is left alone.
const (
	beforeLimit  = 2 * time.Second
	afterLimit   = 2 * time.Second
	pictureLimit = 3 * time.Second
)

// What is kept of a step.
const (
	mostFits     = 20 // elements that are looked at for what a query means
	mostRequests = 20
	mostMessages = 20
	pictureSide  = 1000 // pixels
	pictureGrade = 55   // JPEG quality
)

// Witness is the eye on all sessions of a server.
type Witness struct {
	sessions func(id string) *session.Set
}

// New makes a witness of the connections that sessions gives.
func New(sessions func(id string) *session.Set) *Witness { return &Witness{sessions: sessions} }

var _ recorder.Eye = (*Witness)(nil)

// Open begins to look at a session's tabs.
func (w *Witness) Open(session string) recorder.Look {
	l := &look{set: w.sessions(session), logs: make(map[*browser.Tab]*traffic)}
	l.stop = l.set.Watch(l.attend)
	l.attend()
	return l
}

type look struct {
	set  *session.Set
	stop func()

	mu     sync.Mutex
	logs   map[*browser.Tab]*traffic
	closed bool
}

// attend listens to the requests of tabs that are new, and forgets those that are gone.
func (l *look) attend() {
	tabs := l.set.Tabs()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	for _, t := range tabs {
		if l.logs[t] == nil {
			log := &traffic{}
			log.stop = t.Listen(log.observe)
			l.logs[t] = log
		}
	}
	for t := range l.logs {
		if t.Closed() && !slices.Contains(tabs, t) {
			delete(l.logs, t)
		}
	}
}

// Close ends looking.
func (l *look) Close() {
	l.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, log := range l.logs {
		log.stop()
	}
	clear(l.logs)
}

func (l *look) log(t *browser.Tab) *traffic {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.logs[t]
}

// mark is what a look remembers from before a call to after it.
type mark struct {
	tab  *browser.Tab
	sent map[*browser.Tab]int // requests of each tab so far
}

// Before looks at what a call is about to touch.
func (l *look) Before(ctx context.Context, q recorder.Question) recorder.Before {
	out := recorder.Before{Found: make(map[string]recorder.Found), At: time.Now()}
	m := mark{tab: l.set.Peek(q.Connection, q.Tab), sent: make(map[*browser.Tab]int)}
	for _, t := range l.set.Tabs() {
		out.Tabs = append(out.Tabs, t.ID())
		if log := l.log(t); log != nil {
			m.sent[t] = log.sent()
		}
	}
	out.State = m
	if m.tab == nil {
		return out
	}
	out.Tab = m.tab.ID()
	if len(q.Refs)+len(q.Queries)+len(q.Selectors) == 0 && !q.Typing {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, beforeLimit)
	defer cancel()
	_ = m.tab.Do(ctx, func(ctx context.Context, p *page.Page) error { // what was seen until an error is what there is
		identify(ctx, p, q, out.Found)
		if q.Typing {
			if private, err := p.Secrets(ctx); err == nil {
				out.Focus = private.Focused
			}
		}
		return nil
	})
	return out
}

// fields are the roles of what takes a value: queries are of texts that are to go there.
var fields = []string{
	"textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "checkbox", "radio", "switch", "date", "time", "color", "menuitemcheckbox",
	"menuitemradio", "textarea",
}

// identify finds the elements that a call names.
func identify(ctx context.Context, p *page.Page, q recorder.Question, found map[string]recorder.Found) {
	for _, ref := range q.Refs {
		if f, err := identity(ctx, p, ref); err == nil {
			found[ref] = f
		}
	}
	for _, query := range q.Queries {
		all, err := p.Find(ctx, query, page.FindOptions{Limit: mostFits})
		if at := slices.IndexFunc(all, func(m page.Match) bool { return slices.Contains(fields, m.Role) }); err == nil && at >= 0 {
			if f, err := identity(ctx, p, all[at].Ref); err == nil {
				found[query] = f
			}
		}
	}
	for _, selector := range q.Selectors {
		if all, _, err := p.Query(ctx, page.QueryOptions{CSS: selector, Limit: 1}); err == nil && len(all) > 0 {
			found[selector] = recorder.Found{Field: true, Secret: all[0].Secret}
		}
	}
}

func identity(ctx context.Context, p *page.Page, ref string) (f recorder.Found, err error) {
	plain, err := p.Describe(ctx, ref)
	if err != nil {
		return f, err
	}
	f.Secret = plain.Secret
	f.Identity, err = p.Identify(ctx, ref)
	f.Field = slices.Contains(fields, f.Role)
	return f, err
}

// After looks at what a call did.
func (l *look) After(ctx context.Context, b recorder.Before, w recorder.Wish) (out recorder.After) {
	m, _ := b.State.(mark)
	tabs := l.set.Tabs()
	for _, t := range tabs {
		if !slices.Contains(b.Tabs, t.ID()) {
			out.Opened = append(out.Opened, t.ID())
		}
	}
	tab := m.tab
	if w.Follow {
		if now := l.set.Peek("", ""); now != nil {
			tab = now
		}
	}
	if tab == nil {
		w.Hide(out)
		return out
	}
	out.Tab = tab.ID()
	if log := l.log(tab); log != nil {
		out.Requests, out.RequestsLeft = log.since(m.sent[tab])
	}
	out.Console, out.ConsoleLeft = said(tab, b.At)
	if tab.Closed() {
		w.Hide(out)
		return out
	}
	out.URL = tab.URL()
	l.confide(ctx, tab, &out)
	if hide := w.Hide(out); w.Picture {
		out.Picture = picture(ctx, tab, hide)
	}
	return out
}

// confide asks the page and the browser what must not be kept.
func (l *look) confide(ctx context.Context, tab *browser.Tab, out *recorder.After) {
	ctx, cancel := context.WithTimeout(ctx, afterLimit)
	defer cancel()
	_ = tab.Do(ctx, func(ctx context.Context, p *page.Page) error { // what was seen until an error is what there is
		private, err := p.Secrets(ctx)
		out.Typed, out.Stored = private.FieldValues, private.StorageValues
		return err
	})
	if cookies, err := tab.Cookies(ctx); err == nil {
		for _, c := range cookies {
			out.Cookies = append(out.Cookies, c.Value)
		}
	}
}

// said lists what the page said since a moment.
func said(tab *browser.Tab, since time.Time) (out []recorder.Message, left int) {
	for _, m := range tab.Console().Read(console.Query{AllDocuments: true, Unfolded: true}).Messages {
		if m.Time.Before(since) {
			continue
		}
		out = append(out, recorder.Message{Level: string(m.Level), Text: m.Text})
	}
	if left = len(out) - mostMessages; left <= 0 {
		return out, 0
	}
	return out[left:], left
}

// picture takes a small picture, or none.
func picture(ctx context.Context, tab *browser.Tab, hide []string) []byte {
	ctx, cancel := context.WithTimeout(ctx, pictureLimit)
	defer cancel()
	shot, err := tab.Screenshot(ctx, browser.ScreenshotOptions{Format: browser.JPEG, Quality: pictureGrade, MaxSide: pictureSide, Hide: hide})
	if err != nil {
		return nil
	}
	return shot.Data
}
