// Package watch is the live view of the ui: sessions with their tabs, the picture of a tab, the
// timeline of a session's calls, and the questions that wait for a person.
//
// It looks at sessions and tabs without their locks and without a call, so that an agent works as
// if no person watched. It must not know tools or who may use the ui.
package watch

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/screencast"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/ui"
	"github.com/callsheet/callsheet/internal/ui/live"
)

// Sessions are the clients of a server; *session.Registry has them.
type Sessions interface {
	IDs() []string
	Find(id string) *session.Set // nil for an unknown one
}

// Source supplies the data of the live view.
type Source struct {
	Sessions    Sessions
	Hub         *live.Hub
	Screencasts *screencast.Screencasts
	// History returns the last calls of a session that were made before a person watched, oldest first;
	// nil has none.
	History func(ctx context.Context, session string) ([]live.Call, error)
}

// refreshTime is the time between two looks at the sessions, outlineTime bounds one look at the refs of
// a page.
const (
	refreshTime = time.Second
	outlineTime = 2 * time.Second
)

// View registers the requests of the live view:
//
//	GET  live/events?session=ID          events: sessions, and calls of the session
//	GET  live/questions                  event: questions, of every session
//	GET  live/picture?session=ID&tab=ID  event: frame
//	GET  live/history?session=ID         the calls before
//	GET  live/refs?session=ID&tab=ID     the boxes of refs; with &ref=…, only of those
//	POST live/answer                     {id, allow, values}
func View(src Source) ui.View {
	v := &view{src}
	return func(api *ui.API) {
		api.Has("live")
		api.Stream("live/events", v.sendEvents)
		api.Stream("live/questions", v.sendQuestions)
		api.Stream("live/picture", v.sendPicture)
		api.Get("live/history", v.history)
		api.Get("live/refs", v.refs)
		api.Post("live/answer", v.answer)
	}
}

type view struct{ Source }

// Session is a client with its connections.
type Session struct {
	ID     string `json:"id"`
	Client string `json:"client,omitempty"` // as it calls itself
	Tabs   []Tab  `json:"tabs"`
}

// Tab is an open tab of a session.
type Tab struct {
	ID         string `json:"id"`
	Connection string `json:"connection"`
	Title      string `json:"title"`
	URL        string `json:"url"`
	Current    bool   `json:"current"` // of its connection
	Active     bool   `json:"active"`  // its connection is the active one
	Lost       string `json:"lost,omitempty"`
	Dialog     string `json:"dialog,omitempty"` // the kind of the open dialog
}

// sessions lists the sessions by id. Of the watched one, the browser is asked for titles that it has not
// reported yet.
func (v *view) sessions(ctx context.Context, watched string) []Session {
	out := []Session{}
	for _, id := range v.Sessions.IDs() {
		set := v.Sessions.Find(id)
		if set == nil {
			continue
		}
		s := Session{ID: id, Client: set.Client(), Tabs: []Tab{}}
		if id == watched {
			for _, c := range set.List(ctx) {
				for _, t := range c.Tabs {
					s.Tabs = append(s.Tabs, tabOf(c, t))
				}
			}
		} else {
			for _, t := range set.Tabs() {
				s.Tabs = append(s.Tabs, Tab{ID: t.ID(), Title: t.Title(), URL: t.URL()})
			}
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Session) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func tabOf(c session.Info, t browser.TabInfo) Tab {
	out := Tab{ID: t.ID, Connection: c.ID, Title: t.Title, URL: t.URL, Current: t.Current, Active: c.Active, Lost: t.LossReason}
	if t.Dialog != nil {
		out.Dialog = t.Dialog.Kind
	}
	return out
}

// sendEvents sends the sessions, and the calls of one, each when it has changed.
func (v *view) sendEvents(ctx context.Context, r *http.Request, out *ui.Stream) error {
	defer v.Hub.Watch()()
	id := r.URL.Query().Get("session")
	list := sent{out: out, event: "sessions"}
	tick := time.NewTicker(refreshTime)
	defer tick.Stop()
	for state := uint64(0); ctx.Err() == nil; {
		looking, cancel := context.WithTimeout(ctx, refreshTime)
		err := list.send(v.sessions(looking, id))
		cancel()
		if err != nil {
			return err
		}
		for looksAgain := false; !looksAgain; {
			changes := v.Hub.Since(id, state)
			state = changes.At
			if len(changes.Calls) > 0 {
				if err := out.Send("calls", changes.Calls); err != nil {
					return err
				}
			}
			select {
			case <-changes.Next:
			case <-tick.C:
				looksAgain = true
			case <-ctx.Done():
				return nil
			}
		}
	}
	return nil
}

// sendQuestions sends the open questions when they have changed.
func (v *view) sendQuestions(ctx context.Context, _ *http.Request, out *ui.Stream) error {
	defer v.Hub.Watch()()
	list := sent{out: out, event: "questions"}
	for {
		changes := v.Hub.Since("", 0)
		if err := list.send(changes.Questions); err != nil {
			return err
		}
		select {
		case <-changes.Next:
		case <-ctx.Done():
			return nil
		}
	}
}

// sendPicture sends the pictures of a tab.
func (v *view) sendPicture(ctx context.Context, r *http.Request, out *ui.Stream) error {
	tab, err := v.tab(r)
	if err != nil {
		return err
	}
	return v.Screencasts.Watch(ctx, tab, screencast.ForPerson(), func(f *screencast.Frame) error {
		return out.Send("frame", map[string]any{
			"jpeg": f.JPEG, "width": f.Width, "height": f.Height, "top": f.Top, "scale": f.Scale, "hidden": f.Hidden,
		})
	})
}

// tab returns the tab that a request names by session and tab.
func (v *view) tab(r *http.Request) (*browser.Tab, error) {
	q := r.URL.Query()
	if set := v.Sessions.Find(q.Get("session")); set != nil && q.Get("tab") != "" {
		if t := set.Peek("", q.Get("tab")); t != nil {
			return t, nil
		}
	}
	return nil, &ui.Error{Status: http.StatusNotFound, Message: "the tab is closed"}
}

func (v *view) history(r *http.Request) (any, error) {
	if v.History == nil {
		return []live.Call{}, nil
	}
	id := r.URL.Query().Get("session")
	calls, err := v.History(r.Context(), id)
	if watched := v.Hub.Since(id, 0).Calls; len(watched) > 0 {
		from := watched[0].StartedAt.Truncate(time.Millisecond)
		calls = slices.DeleteFunc(calls, func(c live.Call) bool { return !c.StartedAt.Before(from) })
	}
	return append([]live.Call{}, calls...), err
}

// refs returns the outlines of the refs of a tab.
func (v *view) refs(r *http.Request) (any, error) {
	tab, err := v.tab(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), outlineTime)
	defer cancel()
	refs := slices.DeleteFunc(r.URL.Query()["ref"], func(ref string) bool { return !document.IsRef(ref) || strings.Contains(ref, "/") })
	if len(refs) == 0 && r.URL.Query().Has("ref") {
		return []read.Outline{}, nil
	}
	found, err := tab.Outlines(ctx, refs)
	return append([]read.Outline{}, found...), err
}

// answer answers a question of the policy.
func (v *view) answer(r *http.Request) (any, error) {
	var in struct {
		ID     string         `json:"id"`
		Allow  bool           `json:"allow"`
		Values map[string]any `json:"values"`
	}
	if err := ui.Decode(r, &in); err != nil {
		return nil, err
	}
	reply := toolkit.Reply{Action: toolkit.Decline}
	if in.Allow {
		reply = toolkit.Reply{Action: toolkit.Accept, Values: in.Values}
	}
	if err := v.Hub.Answer(in.ID, reply); err != nil {
		return nil, &ui.Error{Status: http.StatusGone, Message: err.Error()}
	}
	return struct{}{}, nil
}
