package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/tracker/generated/codes"
	"github.com/callsheet/callsheet/examples/tracker/generated/power"
)

// Project is a project with the number of its issues.
type Project struct {
	Name         string
	Issues, Open int
}

// CreateProject makes an empty project.
func (o Owned) CreateProject(ctx context.Context, name string) error {
	_, err := o.db.ExecContext(ctx, `INSERT INTO projects (owner, name) VALUES (?, ?)`, o.owner, name)
	if isDuplicate(err) {
		return toolkit.Refuse(codes.Conflict, fmt.Sprintf("you have a project %q", name))
	}
	return err
}

const countIssues = `SELECT p.name, count(i.number), count(i.number) FILTER (WHERE NOT i.closed)
  FROM projects p LEFT JOIN issues i ON i.project = p.id WHERE p.owner = ?`

// Projects lists the owner's projects by name.
func (o Owned) Projects(ctx context.Context) (projects []Project, err error) {
	rows, err := o.db.QueryContext(ctx, countIssues+` GROUP BY p.id ORDER BY p.name`, o.owner)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var p Project
		if err := rows.Scan(&p.Name, &p.Issues, &p.Open); err != nil {
			return nil, err
		}
		projects = append(projects, p)
	}
	return projects, rows.Err()
}

// Project finds a project by its name.
func (o Owned) Project(ctx context.Context, name string) (p Project, err error) {
	row := o.db.QueryRowContext(ctx, countIssues+` AND p.name = ? GROUP BY p.id`, o.owner, name)
	if err := row.Scan(&p.Name, &p.Issues, &p.Open); errors.Is(err, sql.ErrNoRows) {
		return p, notFound("project")
	} else if err != nil {
		return p, err
	}
	return p, nil
}

// DeleteProject deletes a project with its issues and comments. Only a call of a tool that declares the
// power can delete.
func (o Owned) DeleteProject(ctx context.Context, p power.Delete, name string) error {
	if err := p.Check(); err != nil {
		return err
	}
	return o.change(ctx, "project", `DELETE FROM projects WHERE owner = ? AND name = ?`, o.owner, name)
}

// change runs a statement that changes one thing, which must be there.
func (o Owned) change(ctx context.Context, what, statement string, args ...any) error {
	res, err := o.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, notFound(what))
	}
	return nil
}
