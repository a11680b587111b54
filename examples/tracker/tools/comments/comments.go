// Package comments handles the tools of manifest/tools/comments.yaml: what people say about issues.
package comments

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/tracker/generated/toolset/commentsapi"
	"github.com/callsheet/callsheet/examples/tracker/internal/workspace"
)

// Tools implements commentsapi.Handlers.
type Tools struct{ Workspaces *workspace.Set }

// CommentAdd handles comment_add.
func (t Tools) CommentAdd(ctx context.Context, call *toolkit.Call, in commentsapi.CommentAddParams) (toolkit.Result, error) {
	if err := t.Workspaces.Of(call).AddComment(ctx, t.Workspaces.Project(call), in.Number, in.Text); err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("commented on issue %d", in.Number), nil
}
