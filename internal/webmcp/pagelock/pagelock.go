// Package pagelock holds the tools of pages against the operator's lock: it judges them before a call, notes
// what a person has allowed, and puts the allowed words in the place of those that came later.
//
// It joins engine/webmcp, which knows pages, with webmcp/lock, which knows the file. It must not know lists,
// sessions or policies.
package pagelock

import (
	"context"
	"fmt"
	"os"

	"github.com/callsheet/callsheet/internal/engine/webmcp"
	"github.com/callsheet/callsheet/internal/webmcp/lock"
)

// Lock is the operator's lock. New makes one; it is safe for concurrent use.
type Lock struct {
	file *lock.File
	by   string
}

// New returns a lock in a file. by names who allows a tool in it, such as "a client's person".
func New(file *lock.File, by string) *Lock { return &Lock{file, by} }

// Path returns the path of the file.
func (l *Lock) Path() string { return l.file.Path() }

// Tool returns a tool of a page as the lock keeps it.
func Tool(t webmcp.Tool) lock.Tool {
	return lock.Tool{
		Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Annotations: lock.Annotations(t.Annotations), Declarative: t.Declarative,
	}
}

// Judge returns the changes that break callers of a tool, one text for each in words of the page, and whether
// no person has allowed the tool for its origin. The error is a *lock.FileError, *lock.InvalidError or
// *lock.OriginError, and the tool must not be called then.
func (l *Lock) Judge(t webmcp.Tool) (changes []string, isNew bool, err error) {
	allowed, err := l.file.Load()
	if err != nil {
		return nil, false, err
	}
	j := allowed.Judge(t.Origin, []lock.Tool{Tool(t)})[0]
	switch j.Verdict {
	case lock.Invalid:
		return nil, false, j.Err
	case lock.Breaking:
		changes = j.Lines()
	}
	return changes, j.Verdict == lock.FirstSeen, nil
}

// Accept notes that a person has allowed a tool. It changes nothing where the lock has one of its name and
// origin: only the operator accepts a change.
func (l *Lock) Accept(ctx context.Context, t webmcp.Tool) error {
	allowed, err := l.file.Load()
	if err != nil {
		return err
	}
	if _, known := allowed.Entry(t.Origin, t.Name); known {
		return nil
	}
	_, err = l.file.Accept(ctx, lock.Acceptance{Origin: t.Origin, Tools: []lock.Tool{Tool(t)}, By: l.by})
	return err
}

// Pin returns tools with the words, schemas and hints that a person has allowed, where what the page offers
// now is compatible with them. The others are as the page offers them; so are all where the lock cannot be
// read, and Judge refuses them.
func (l *Lock) Pin(tools []webmcp.Tool) []webmcp.Tool {
	allowed, err := l.file.Load()
	if err != nil {
		return tools
	}
	out := make([]webmcp.Tool, len(tools))
	for i, t := range tools {
		out[i] = t
		j := allowed.Judge(t.Origin, []lock.Tool{Tool(t)})[0]
		if j.Verdict != lock.Compatible { // what is unchanged keeps its text, and so the handle that a client knows
			continue
		}
		pinned := j.Offer()
		out[i].Description, out[i].InputSchema, out[i].OutputSchema = pinned.Description, pinned.InputSchema, pinned.OutputSchema
		out[i].Annotations = webmcp.Annotations(pinned.Annotations)
	}
	return out
}

// Version is another text after each change of the file.
func (l *Lock) Version() string {
	info, err := os.Stat(l.file.Path())
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d", info.ModTime().UnixNano(), info.Size())
}
