// Package issues handles what manifest/tools/issues.yaml declares: the issues of the selected project.
package issues

import (
	"context"
	"strconv"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/tracker/generated/toolset/issuesapi"
	"github.com/callsheet/callsheet/examples/tracker/internal/store"
	"github.com/callsheet/callsheet/examples/tracker/internal/workspace"
)

// Tools implements issuesapi.Handlers. No handler checks that a project is selected: the manifest says
// that a call needs one, and the call is refused before.
type Tools struct{ Workspaces *workspace.Set }

// IssueCreate handles issue_create.
func (t Tools) IssueCreate(ctx context.Context, call *toolkit.Call, in issuesapi.IssueCreateParams) (out issuesapi.IssueCreateResult, err error) {
	out.Number, err = t.Workspaces.Of(call).CreateIssue(ctx, t.Workspaces.Project(call), store.Issue{
		Title: in.Title, Body: in.Body.Value, Priority: string(in.Priority),
	})
	if err != nil {
		return out, err
	}
	return out, t.Workspaces.Refresh(ctx, call)
}

// IssueList handles issue_list. It reads one issue more than it returns, to know whether there are more.
func (t Tools) IssueList(ctx context.Context, call *toolkit.Call, in issuesapi.IssueListParams) (issuesapi.IssueListResult, error) {
	filter := store.Filter{Open: in.Status != issuesapi.IssueListStatusClosed, Closed: in.Status != issuesapi.IssueListStatusOpen}
	found, err := t.Workspaces.Of(call).Issues(ctx, t.Workspaces.Project(call), filter, in.Limit+1)
	out := issuesapi.IssueListResult{Issues: []issuesapi.IssueListResultIssuesItem{}, More: len(found) > in.Limit}
	for _, i := range found[:min(len(found), in.Limit)] {
		out.Issues = append(out.Issues, issuesapi.IssueListResultIssuesItem{Number: i.Number, Title: i.Title, Priority: i.Priority, Closed: i.Closed})
	}
	return out, err
}

// IssueRead handles issue_read.
func (t Tools) IssueRead(ctx context.Context, call *toolkit.Call, in issuesapi.IssueReadParams) (toolkit.Result, error) {
	text, err := t.render(ctx, call, t.Workspaces.Project(call), strconv.Itoa(in.Number))
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(text), nil
}

// IssueClose handles issue_close.
func (t Tools) IssueClose(ctx context.Context, call *toolkit.Call, in issuesapi.IssueCloseParams) (toolkit.Result, error) {
	if err := t.Workspaces.Of(call).CloseIssue(ctx, t.Workspaces.Project(call), in.Number); err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("closed issue %d", in.Number), nil
}
