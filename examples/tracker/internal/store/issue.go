package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/tracker/generated/codes"
)

// Issue is an issue of a project.
type Issue struct {
	Number                int
	Title, Body, Priority string
	Closed                bool
}

// Filter selects issues by their status.
type Filter struct{ Open, Closed bool }

// projectID is the part of a statement that finds a project of the owner by its name.
const projectID = `(SELECT id FROM projects WHERE owner = ? AND name = ?)`

// CreateIssue adds an issue, whose number is the next one of the project.
func (o Owned) CreateIssue(ctx context.Context, project string, i Issue) (number int, err error) {
	row := o.db.QueryRowContext(ctx, `INSERT INTO issues (project, number, title, body, priority)
	  SELECT id, 1 + coalesce((SELECT max(number) FROM issues WHERE project = id), 0), ?, ?, ?
	  FROM projects WHERE owner = ? AND name = ? RETURNING number`, i.Title, i.Body, i.Priority, o.owner, project)
	if err := row.Scan(&number); errors.Is(err, sql.ErrNoRows) {
		return 0, notFound("project")
	} else if err != nil {
		return 0, err
	}
	return number, nil
}

const selectIssues = `SELECT number, title, body, priority, closed FROM issues WHERE project = ` + projectID

// Issues lists at most limit issues of a project, the newest first.
func (o Owned) Issues(ctx context.Context, project string, f Filter, limit int) (issues []Issue, err error) {
	rows, err := o.db.QueryContext(ctx, selectIssues+` AND (closed AND ? OR NOT closed AND ?) ORDER BY number DESC LIMIT ?`,
		o.owner, project, f.Closed, f.Open, limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var i Issue
		if err := rows.Scan(&i.Number, &i.Title, &i.Body, &i.Priority, &i.Closed); err != nil {
			return nil, err
		}
		issues = append(issues, i)
	}
	return issues, rows.Err()
}

// Issue finds an issue of a project, with its comments.
func (o Owned) Issue(ctx context.Context, project string, number int) (i Issue, comments []string, err error) {
	row := o.db.QueryRowContext(ctx, selectIssues+` AND number = ?`, o.owner, project, number)
	if err := row.Scan(&i.Number, &i.Title, &i.Body, &i.Priority, &i.Closed); errors.Is(err, sql.ErrNoRows) {
		return i, nil, notFound("issue")
	} else if err != nil {
		return i, nil, err
	}
	rows, err := o.db.QueryContext(ctx, `SELECT text FROM comments WHERE project = `+projectID+` AND number = ? ORDER BY id`, o.owner, project, number)
	if err != nil {
		return i, nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return i, nil, err
		}
		comments = append(comments, text)
	}
	return i, comments, rows.Err()
}

// CloseIssue closes an open issue.
func (o Owned) CloseIssue(ctx context.Context, project string, number int) error {
	i, _, err := o.Issue(ctx, project, number)
	if err != nil {
		return err
	}
	if i.Closed {
		return toolkit.Refuse(codes.Conflict, fmt.Sprintf("issue %d is closed", number))
	}
	return o.change(ctx, "issue", `UPDATE issues SET closed = 1 WHERE project = `+projectID+` AND number = ?`, o.owner, project, number)
}

// AddComment adds a comment to an issue.
func (o Owned) AddComment(ctx context.Context, project string, number int, text string) error {
	return o.change(ctx, "issue", `INSERT INTO comments (project, number, text)
	  SELECT project, number, ? FROM issues WHERE project = `+projectID+` AND number = ?`, text, o.owner, project, number)
}
