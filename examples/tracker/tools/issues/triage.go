package issues

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/tracker/generated/codes"
	"github.com/callsheet/callsheet/examples/tracker/generated/toolset/issuesapi"
	"github.com/callsheet/callsheet/examples/tracker/internal/store"
)

// maxCompletions is how many issues are looked at for completions; a client is sent no more.
const maxCompletions = 100

// TriagePrompt handles the prompt triage.
func (t Tools) TriagePrompt(ctx context.Context, call *toolkit.Call, in issuesapi.TriageArguments) (toolkit.PromptResult, error) {
	text, err := t.render(ctx, call, t.Workspaces.Project(call), in.Number)
	if err != nil {
		return toolkit.PromptResult{}, err
	}
	ask := "Propose a priority and the next steps for this issue."
	if in.Depth.Or(issuesapi.TriageDepthThorough) == issuesapi.TriageDepthBrief {
		ask = "Propose a priority for this issue in one sentence."
	}
	return toolkit.PromptResult{Messages: []toolkit.Message{toolkit.UserMessage(ask + "\n\n" + text)}}, nil
}

// CompleteTriageNumber completes the number of an issue of the selected project.
func (t Tools) CompleteTriageNumber(ctx context.Context, call *toolkit.Call, in toolkit.Completion) ([]string, error) {
	return t.numbers(ctx, call, t.Workspaces.Project(call), in.Value)
}

// IssueResource handles the resource issue.
func (t Tools) IssueResource(ctx context.Context, call *toolkit.Call, in issuesapi.IssueVariables) (toolkit.Contents, error) {
	text, err := t.render(ctx, call, in.Project, in.Number)
	var refused *toolkit.Refusal
	if errors.As(err, &refused) && refused.Code == codes.NotFound {
		err = fs.ErrNotExist
	}
	return toolkit.Contents{Text: text}, err
}

// CompleteIssueProject completes the name of a project.
func (t Tools) CompleteIssueProject(ctx context.Context, call *toolkit.Call, in toolkit.Completion) (names []string, err error) {
	projects, err := t.Workspaces.Of(call).Projects(ctx)
	for _, p := range projects {
		if strings.HasPrefix(p.Name, in.Value) {
			names = append(names, p.Name)
		}
	}
	return names, err
}

// CompleteIssueNumber completes the number of an issue of the project that the client has chosen.
func (t Tools) CompleteIssueNumber(ctx context.Context, call *toolkit.Call, in toolkit.Completion) ([]string, error) {
	return t.numbers(ctx, call, in.Arguments["project"], in.Value)
}

// numbers lists the issues whose number begins with a text, the newest first.
func (t Tools) numbers(ctx context.Context, call *toolkit.Call, project, begin string) (numbers []string, err error) {
	found, err := t.Workspaces.Of(call).Issues(ctx, project, store.Filter{Open: true, Closed: true}, maxCompletions)
	for _, i := range found {
		if n := strconv.Itoa(i.Number); strings.HasPrefix(n, begin) {
			numbers = append(numbers, n)
		}
	}
	return numbers, err
}

// render writes an issue with its comments as Markdown.
func (t Tools) render(ctx context.Context, call *toolkit.Call, project, number string) (string, error) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", toolkit.Refuse(codes.NotFound, fmt.Sprintf("there is no issue %q", number))
	}
	issue, comments, err := t.Workspaces.Of(call).Issue(ctx, project, n)
	if err != nil {
		return "", err
	}
	status := "open"
	if issue.Closed {
		status = "closed"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "#%d %s (%s, priority %s)\n%s", issue.Number, issue.Title, status, issue.Priority, issue.Body)
	for _, comment := range comments {
		fmt.Fprintf(&text, "\n\n> %s", comment)
	}
	return text.String(), nil
}
