package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/runner"
)

// maxSavedBytes is the size up to which an artifact is copied to a file.
const maxSavedBytes = 256 << 20

// save writes the content of a result to a file of the output directory: its one file, else
// its texts, else its structured content.
func (tc *toolCaller) save(ctx context.Context, path string, content external.Result) (*runner.Saved, error) {
	output := tc.set.cfg.Output
	if output == nil {
		return nil, errors.New("this server has no output directory")
	}
	data, err := tc.savedBytes(content)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	at, err := output.For(tc.call.Session.ID).Write(tc.write, path, data)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(at) // secrets in texts are replaced
	if err != nil {
		return nil, err
	}
	return &runner.Saved{Path: at, Bytes: info.Size()}, nil
}

// savedBytes returns the bytes of a result that saveTo writes.
func (tc *toolCaller) savedBytes(content external.Result) ([]byte, error) {
	var texts []string
	var file []byte
	files := 0
	for _, c := range content.Content {
		switch {
		case c.Type == external.TypeResourceLink && strings.HasPrefix(c.URI, artifact.Scheme):
			data, err := tc.readArtifact(c.URI)
			if err != nil {
				return nil, err
			}
			file = data
			files++
		case c.Data != nil:
			file = c.Data
			files++
		case c.Text != "":
			texts = append(texts, c.Text)
		}
	}
	switch {
	case files > 1:
		return nil, fmt.Errorf("the result has %d files, and saveTo writes one", files)
	case files == 1:
		return file, nil
	case len(texts) > 0:
		return []byte(strings.Join(texts, "\n")), nil
	}
	return content.Structured, nil
}

// readArtifact reads content that a call of the session has stored. A server cannot name that of
// another session.
func (tc *toolCaller) readArtifact(uri string) ([]byte, error) {
	if tc.set.cfg.Artifacts == nil {
		return nil, errors.New("this server stores no content")
	}
	kept, f, err := tc.set.cfg.Artifacts.Open(strings.TrimPrefix(uri, artifact.Scheme))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	if kept.Session != tc.call.Session.ID {
		return nil, fmt.Errorf("%s belongs to another session", uri)
	}
	if kept.Size > maxSavedBytes {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", kept.Name, kept.Size, maxSavedBytes)
	}
	return io.ReadAll(f)
}
