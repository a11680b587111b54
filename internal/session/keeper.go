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

// Keeper makes artifacts of what pages download.
type Keeper struct{ Store *artifact.Store }

var _ browser.Keeper = Keeper{}

// Incoming makes a directory for files on their way.
func (k Keeper) Incoming(name string) (string, error) { return k.Store.Incoming(name) }

// Limit is how large a file may be, in bytes.
func (k Keeper) Limit() int64 { return min(MaxDownload, k.Store.Limit()) }

// Keep makes an artifact of a file and returns its id.
func (k Keeper) Keep(session string, d browser.Download, file string, move bool) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("keep a download: %w", err)
	}
	defer func() { _ = f.Close() }() // reading handle: nothing is lost
	meta := artifact.Meta{Name: d.Name, MIME: kindOf(d.Name, f), Session: session}
	var a artifact.Artifact
	if move {
		a, err = k.Store.PutFile(meta, file)
	} else if _, err = f.Seek(0, io.SeekStart); err == nil {
		a, err = k.Store.Put(context.Background(), meta, f)
	}
	return a.ID, err
}

// failureOf is the MIME type that a file's name says, or else what its beginning looks like.
func kindOf(name string, f io.Reader) string {
	if kind := mime.TypeByExtension(filepath.Ext(name)); kind != "" {
		return kind
	}
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	return http.DetectContentType(head[:n])
}
