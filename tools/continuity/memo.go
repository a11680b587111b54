package continuity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/continuityapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// OcCheckpoint saves, loads or deletes the session's checkpoint.
func (t *Tools) OcCheckpoint(ctx context.Context, call *toolkit.Call, in continuityapi.OcCheckpointParams) (toolkit.Result, error) {
	switch in.Action {
	case continuityapi.OcCheckpointActionSave:
		return t.save(ctx, call, journal.Checkpoint, journal.Memo{
			Task: in.TaskDescription.Value, CompletedSteps: in.CompletedSteps, PendingSteps: in.PendingSteps, Notes: in.ExtractedData.Value,
		})
	case continuityapi.OcCheckpointActionDelete:
		n, err := t.memos.Delete(ctx, journal.Checkpoint, call.Session.ID, in.ID.Value)
		if err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Textf("deleted %d", n), nil
	case continuityapi.OcCheckpointActionLoad:
	}
	memo, err := t.load(ctx, call, journal.Checkpoint, in.ID.Value)
	if err != nil {
		return toolkit.Result{}, err
	}
	lines := memoLines(memo)
	for _, tab := range memo.Tabs {
		lines = append(lines, fmt.Sprintf("tab %s %s %q", tab.ID, tab.URL, tab.Title))
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// OcSessionSnapshot saves the open tabs with a memo.
func (t *Tools) OcSessionSnapshot(ctx context.Context, call *toolkit.Call, in continuityapi.OcSessionSnapshotParams) (toolkit.Result, error) {
	return t.save(ctx, call, journal.Snapshot, journal.Memo{
		Label: in.Label.Value, Task: in.Objective, Step: in.CurrentStep, CompletedSteps: in.CompletedSteps,
		PendingSteps: in.NextActions, Notes: in.Notes.Value,
	})
}

// OcSessionResume tells a snapshot and brings its tabs back.
func (t *Tools) OcSessionResume(ctx context.Context, call *toolkit.Call, in continuityapi.OcSessionResumeParams, powers continuityapi.OcSessionResumePowers) (toolkit.Result, error) {
	memo, err := t.load(ctx, call, journal.Snapshot, in.SnapshotID.Value)
	if err != nil {
		return toolkit.Result{}, err
	}
	session, err := t.sessions.Active(call)
	if err != nil {
		return toolkit.Result{}, err
	}
	lines, live, current := memoLines(memo), session.Tabs(ctx), ""
	for i, tab := range memo.Tabs {
		call.Progress(float64(i), float64(len(memo.Tabs)), tab.URL)
		id, line := restoreTab(ctx, powers, session, &live, tab)
		lines = append(lines, line)
		if tab.IsCurrent {
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

// restoreTab finds a saved tab among the live ones, each of which stands for one saved tab only, or
// opens its page again.
func restoreTab(
	ctx context.Context, powers continuityapi.OcSessionResumePowers, session *browser.Session, live *[]browser.TabInfo, saved journal.Tab,
) (id, line string) {
	at := slices.IndexFunc(*live, func(t browser.TabInfo) bool { return t.ID == saved.ID && t.URL == saved.URL })
	if at < 0 {
		at = slices.IndexFunc(*live, func(t browser.TabInfo) bool { return t.URL == saved.URL })
	}
	if at >= 0 {
		id = (*live)[at].ID
		*live = slices.Delete(*live, at, at+1)
		if id == saved.ID {
			return id, fmt.Sprintf("tab %s is open: %s", id, saved.URL)
		}
		return id, fmt.Sprintf("tab %s is open as %s: %s", saved.ID, id, saved.URL)
	}
	tab, _, err := session.Open(ctx, powers.Window(), powers.Navigation(), saved.URL, browser.NavigateOptions{})
	switch {
	case tab == nil:
		return "", fmt.Sprintf("tab %s is not open again: %v", saved.ID, err)
	case err != nil:
		return tab.ID(), fmt.Sprintf("tab %s was opened again as %s, but %v", saved.ID, tab.ID(), err)
	}
	return tab.ID(), fmt.Sprintf("tab %s was opened again as %s: %s", saved.ID, tab.ID(), tab.URL())
}

// save adds the open tabs to a memo and keeps it.
func (t *Tools) save(ctx context.Context, call *toolkit.Call, kind journal.Kind, memo journal.Memo) (toolkit.Result, error) {
	session, err := t.sessions.Active(call)
	if err != nil {
		return toolkit.Result{}, err
	}
	for _, tab := range session.Tabs(ctx) {
		memo.Tabs = append(memo.Tabs, journal.Tab{ID: tab.ID, URL: t.redact(tab.URL), Title: t.redact(tab.Title), IsCurrent: tab.Current})
	}
	id, err := t.memos.Save(ctx, kind, call.Session.ID, memo)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("saved %s, tabs %d", id, len(memo.Tabs)), nil
}

func (t *Tools) load(ctx context.Context, call *toolkit.Call, kind journal.Kind, id string) (journal.Memo, error) {
	memo, err := t.memos.Load(ctx, kind, call.Session.ID, id)
	if !errors.Is(err, journal.ErrMemoNotFound) {
		return memo, err
	}
	message := fmt.Sprintf("this session has saved no %s; give the id of another session's", kind)
	if id != "" {
		message = fmt.Sprintf("there is no %s %q", kind, id)
	}
	return memo, toolkit.Refuse(codes.NotFound, message)
}

// memoLines writes a memo down for its reader.
func memoLines(m journal.Memo) []string {
	lines := []string{fmt.Sprintf("%s, saved %s (%v ago)", m.ID, m.SavedAt.Format(time.DateTime), time.Since(m.SavedAt).Round(time.Second))}
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, name+": "+fence.Block(text, "  "))
		}
	}
	add("label", m.Label)
	add("task", m.Task)
	add("step", m.Step)
	add("done", strings.Join(m.CompletedSteps, "; "))
	add("next", strings.Join(m.PendingSteps, "; "))
	add("notes", m.Notes)
	return lines
}

// health names tabs in trouble.
func health(tabs []browser.TabInfo) string {
	var out string
	for _, tab := range tabs {
		switch {
		case tab.LossReason != "":
			out += "; " + tab.ID + " " + tab.LossReason
		case tab.Dialog != nil:
			out += "; " + tab.ID + " waits for a dialog"
		}
	}
	return out
}
