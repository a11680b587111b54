package session

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"

	"github.com/callsheet/callsheet/internal/engine/browser/download"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/files"
)

// MaxDownload is the maximum size of a downloaded file in bytes.
const MaxDownload = 1 << 30

// DownloadStore stores downloads as artifacts, and copies of those in the output directory under
// their own names. It implements download.Store.
type DownloadStore struct {
	Artifacts *artifact.Store
	Output    *files.Dir
}

var _ download.Store = DownloadStore{}

// Incoming creates a directory for unfinished downloads.
func (s DownloadStore) Incoming() (path string, remove func() error, err error) {
	return s.Artifacts.Incoming()
}

// Limit returns the maximum size of a file in bytes.
func (s DownloadStore) Limit() int64 { return min(MaxDownload, s.Artifacts.Limit()) }

// Save stores a file as an artifact and copies that, from which secrets are removed.
func (s DownloadStore) Save(session string, d download.Download, file string, move bool) (download.Stored, error) {
	a, err := s.saveArtifact(session, d, file, move)
	if err != nil {
		return download.Stored{}, err
	}
	stored := download.Stored{ID: a.ID}
	_, content, err := s.Artifacts.Open(a.ID)
	if err != nil {
		return stored, err
	}
	defer func() { _ = content.Close() }() // opened for reading only
	stored.Path, err = s.Output.For(session).Add(a.Name, content)
	return stored, err
}

func (s DownloadStore) saveArtifact(session string, d download.Download, file string, move bool) (artifact.Artifact, error) {
	f, err := os.Open(file)
	if err != nil {
		return artifact.Artifact{}, fmt.Errorf("keep a download: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading only
	meta := artifact.Meta{Name: d.Name, MIME: mimeType(d.Name, f), Session: session}
	if move {
		return s.Artifacts.PutFile(meta, file)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return artifact.Artifact{}, err
	}
	return s.Artifacts.Put(context.Background(), meta, f)
}

// mimeType returns the MIME type of a file name's extension, or else of the file's first bytes.
func mimeType(name string, f io.Reader) string {
	if kind := mime.TypeByExtension(filepath.Ext(name)); kind != "" {
		return kind
	}
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	return http.DetectContentType(head[:n])
}
