// Package admin handles what manifest/tools/admin.yaml declares: projects, and which one a session works in.
package admin

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/tracker/generated/toolset/adminapi"
	"github.com/callsheet/callsheet/examples/tracker/internal/workspace"
)

// Tools implements adminapi.Handlers.
type Tools struct{ Workspaces *workspace.Set }

// ProjectCreate handles project_create.
func (t Tools) ProjectCreate(ctx context.Context, call *toolkit.Call, in adminapi.ProjectCreateParams) (toolkit.Result, error) {
	if err := t.Workspaces.Of(call).CreateProject(ctx, in.Name); err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("created project %s", in.Name), nil
}

// ProjectList handles project_list.
func (t Tools) ProjectList(ctx context.Context, call *toolkit.Call, _ adminapi.ProjectListParams) (adminapi.ProjectListResult, error) {
	out := adminapi.ProjectListResult{Projects: []adminapi.ProjectListResultProjectsItem{}}
	projects, err := t.Workspaces.Of(call).Projects(ctx)
	for _, p := range projects {
		out.Projects = append(out.Projects, adminapi.ProjectListResultProjectsItem{
			Name: p.Name, OpenIssues: p.Open, Selected: p.Name == t.Workspaces.Project(call),
		})
	}
	return out, err
}

// ProjectSelect handles project_select.
func (t Tools) ProjectSelect(ctx context.Context, call *toolkit.Call, in adminapi.ProjectSelectParams) (toolkit.Result, error) {
	if err := t.Workspaces.Select(ctx, call, in.Name); err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("working in project %s", in.Name), nil
}

// ProjectDelete handles project_delete. Its powers come from the manifest entry.
func (t Tools) ProjectDelete(ctx context.Context, call *toolkit.Call, in adminapi.ProjectDeleteParams, powers adminapi.ProjectDeletePowers) (toolkit.Result, error) {
	if err := t.Workspaces.Of(call).DeleteProject(ctx, powers.Delete(), in.Name); err != nil {
		return toolkit.Result{}, err
	}
	if err := t.Workspaces.Refresh(ctx, call); err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("deleted project %s", in.Name), nil
}

// ProjectsResource handles the resource projects.
func (t Tools) ProjectsResource(ctx context.Context, call *toolkit.Call) (toolkit.Contents, error) {
	type project struct {
		Name       string `json:"name"`
		OpenIssues int    `json:"open_issues"`
	}
	out := []project{}
	projects, err := t.Workspaces.Of(call).Projects(ctx)
	for _, p := range projects {
		out = append(out, project{p.Name, p.Open})
	}
	text, failed := json.Marshal(out)
	return toolkit.Contents{Text: string(text)}, errors.Join(err, failed)
}
