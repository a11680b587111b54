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

// MaxDownload is how large a downloaded file may be, in bytes.
const MaxDownload = 1 << 30

// DownloadStore makes artifacts of what pages download.
type DownloadStore struct{ Artifacts *artifact.Store }

var _ browser.DownloadStore = DownloadStore{}

// Incoming makes a directory for files on their way.
func (k DownloadStore) Incoming(name string) (string, error) { return k.Artifacts.Incoming(name) }

// Limit is how large a file may be, in bytes.
func (k DownloadStore) Limit() int64 { return min(MaxDownload, k.Artifacts.Limit()) }

// Save makes an artifact of a file and returns its id.
func (k DownloadStore) Save(session string, d browser.Download, file string, move bool) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("keep a download: %w", err)
	}
	defer func() { _ = f.Close() }() // reading handle: nothing is lost
	meta := artifact.Meta{Name: d.Name, MIME: mimeType(d.Name, f), Session: session}
	var a artifact.Artifact
	if move {
		a, err = k.Artifacts.PutFile(meta, file)
	} else if _, err = f.Seek(0, io.SeekStart); err == nil {
		a, err = k.Artifacts.Put(context.Background(), meta, f)
	}
	return a.ID, err
}

// failureOf is the MIME type that a file's name says, or else what its beginning looks like.
func mimeType(name string, f io.Reader) string {
	if kind := mime.TypeByExtension(filepath.Ext(name)); kind != "" {
		return kind
	}
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	return http.DetectContentType(head[:n])
}
