package storage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/storageapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/savedsession"
	"github.com/callsheet/callsheet/internal/login/statefile"
	"github.com/callsheet/callsheet/internal/session/storagestate"
)

// SavedSession saves and restores the storage state and the tabs of the session. Its results have no
// value of a cookie or of a storage.
func (t *Tools) SavedSession(ctx context.Context, call *toolkit.Call, in storageapi.SavedSessionParams, powers storageapi.SavedSessionPowers) (toolkit.Result, error) {
	name := in.Name.Value
	store, err := t.needs.Saved.For(call.Principal())
	if err != nil && in.Action != storageapi.SavedSessionActionImport && in.Action != storageapi.SavedSessionActionExport {
		return toolkit.Result{}, err
	}
	switch in.Action {
	case storageapi.SavedSessionActionList:
		return listSaved(store, powers)
	case storageapi.SavedSessionActionRm:
		if err := store.Remove(powers.Secret(), name); err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Textf("removed %s", name), nil
	case storageapi.SavedSessionActionImport:
		return t.importState(ctx, call, in.Path.Value, powers)
	case storageapi.SavedSessionActionSave, storageapi.SavedSessionActionRestore, storageapi.SavedSessionActionExport:
	}
	session, err := t.sessions.Active(call)
	if err != nil {
		return toolkit.Result{}, err
	}
	if in.Action == storageapi.SavedSessionActionRestore {
		return restore(ctx, session, store, name, powers)
	}
	captured, err := session.State.Capture(ctx, powers.Storage())
	if err != nil {
		return toolkit.Result{}, err
	}
	if in.Action == storageapi.SavedSessionActionExport {
		text, err := captured.Encode()
		if err != nil {
			return toolkit.Result{}, err
		}
		path, err := t.needs.Output.For(call.Session.ID).Write(powers.FileWrite(), in.Path.Value, text)
		if err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Textf("exported to %s: %s", path, describe(captured.State)+leftOut(captured)), nil
	}
	saved := savedsession.Session{Saved: time.Now(), State: captured.State, Tabs: storagestate.Tabs(ctx, session)}
	encrypted, err := store.Save(powers.Secret(), name, saved)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("saved %s, %s: %s, tabs %d%s", name, encryption(encrypted), describe(captured.State), len(saved.Tabs), leftOut(captured)), nil
}

func listSaved(store *savedsession.Store, powers storageapi.SavedSessionPowers) (toolkit.Result, error) {
	all, err := store.List(powers.Secret())
	if err != nil {
		return toolkit.Result{}, err
	}
	if len(all) == 0 {
		return toolkit.Text("no session is saved"), nil
	}
	var lines []string
	for _, s := range all {
		if s.Err != nil {
			lines = append(lines, fmt.Sprintf("%s: %v", s.Name, s.Err))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s, saved %s, %s, tabs %d: %s",
			s.Name, s.Saved.Format(time.DateTime), encryption(s.Encrypted), s.Tabs, strings.Join(s.Origins, " ")))
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// restore replaces the state of the session, and opens the saved tabs in place of the present ones.
func restore(ctx context.Context, session *browser.Session, store *savedsession.Store, name string, powers storageapi.SavedSessionPowers) (toolkit.Result, error) {
	saved, err := store.Load(powers.Secret(), name)
	if err != nil {
		return toolkit.Result{}, err
	}
	if err := session.State.Replace(ctx, powers.Storage(), powers.Window(), saved.State); err != nil {
		return toolkit.Result{}, err
	}
	lines := []string{fmt.Sprintf("restored %s: %s", name, describe(saved.State))}
	current := ""
	for i, wanted := range saved.Tabs {
		id, line := openSaved(ctx, session, wanted, i == 0, powers)
		lines = append(lines, line)
		if wanted.Current {
			current = id
		}
	}
	if current != "" {
		if _, err := session.Select(ctx, current); err != nil {
			return toolkit.Result{}, err
		}
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// openSaved opens a saved tab, the first one in the empty tab that the session has. It returns the
// tab's id, or "", and a line about it.
func openSaved(ctx context.Context, session *browser.Session, wanted savedsession.Tab, first bool, powers storageapi.SavedSessionPowers) (id, line string) {
	var tab *browser.Tab
	var err error
	if first {
		if tab, err = session.Tab(ctx, ""); err == nil {
			_, err = tab.Navigate(ctx, powers.Navigation(), wanted.URL, browser.NavigateOptions{})
		}
	} else {
		tab, _, err = session.Open(ctx, powers.Window(), powers.Navigation(), wanted.URL, browser.NavigateOptions{})
	}
	switch {
	case tab == nil:
		return "", fmt.Sprintf("%s is not open again: %v", wanted.URL, err)
	case err != nil:
		return tab.ID(), fmt.Sprintf("tab %s did not load %s: %v", tab.ID(), wanted.URL, err)
	}
	return tab.ID(), fmt.Sprintf("tab %s: %s", tab.ID(), tab.URL())
}

// importState replaces the state of the session by that of a file.
func (t *Tools) importState(ctx context.Context, call *toolkit.Call, name string, powers storageapi.SavedSessionPowers) (toolkit.Result, error) {
	path, err := t.needs.Files.For(call.Session.ID).With(call.Roots(ctx)...).Resolve(powers.FileRead(), name)
	if err != nil {
		return toolkit.Result{}, err
	}
	state, err := statefile.Read(path)
	if err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, err.Error())
	}
	session, err := t.sessions.Active(call)
	if err != nil {
		return toolkit.Result{}, err
	}
	if err := session.State.Replace(ctx, powers.Storage(), powers.Window(), state); err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("imported %s: %s; open a page to use it", path, describe(state)), nil
}

// describe counts the cookies and entries of a state and names its origins.
func describe(s statefile.State) string {
	keys, databases := 0, 0
	for _, o := range s.Origins {
		keys, databases = keys+len(o.LocalStorage), databases+len(o.IndexedDB)
	}
	counts := fmt.Sprintf("cookies %d, storage keys %d, databases %d", len(s.Cookies), keys, databases)
	names := s.OriginNames()
	if len(names) == 0 {
		return counts
	}
	more := ""
	if n := len(names) - maxNamedOrigins; n > 0 {
		names, more = names[:maxNamedOrigins], fmt.Sprintf(" and %d more", n)
	}
	return counts + " of " + strings.Join(names, " ") + more
}

// maxNamedOrigins bounds the origins that a result names.
const maxNamedOrigins = 20

func encryption(encrypted bool) string {
	if encrypted {
		return "encrypted"
	}
	return "readable by its owner (no key is set)"
}

// leftOut names the database records and origins that a captured state lacks; "" for none.
func leftOut(c browser.CapturedState) (text string) {
	if c.LeftOut > 0 {
		text = fmt.Sprintf("; %d database records have values that the format cannot hold", c.LeftOut)
	}
	if len(c.Unreachable) > 0 {
		text += "; not reached: " + strings.Join(c.Unreachable, " ")
	}
	return text
}
