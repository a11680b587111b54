package session

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// MaxDownload is the maximum size of a downloaded file in bytes.
const MaxDownload = 1 << 30

// DownloadStore stores downloads as artifacts. It implements browser.DownloadStore.
type DownloadStore struct{ Artifacts *artifact.Store }

var _ browser.DownloadStore = DownloadStore{}

// Incoming creates a directory for unfinished downloads.
func (k DownloadStore) Incoming() (path string, remove func() error, err error) {
	return k.Artifacts.Incoming()
}

// Limit returns the maximum size of a file in bytes.
func (k DownloadStore) Limit() int64 { return min(MaxDownload, k.Artifacts.Limit()) }

// Save stores a file as an artifact and returns its id.
func (k DownloadStore) Save(session string, d browser.Download, file string, move bool) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("keep a download: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading only
	meta := artifact.Meta{Name: d.Name, MIME: mimeType(d.Name, f), Session: session}
	var a artifact.Artifact
	if move {
		a, err = k.Artifacts.PutFile(meta, file)
	} else if _, err = f.Seek(0, io.SeekStart); err == nil {
		a, err = k.Artifacts.Put(context.Background(), meta, f)
	}
	return a.ID, err
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
