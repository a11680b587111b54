package server_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/app/server"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func TestEachSessionReadsItsOwnArtifacts(t *testing.T) {
	t.Parallel()
	dir, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store := artifact.New(dir, 0)
	put := func(name, text string) artifact.Artifact {
		a, err := store.Put(t.Context(), artifact.Meta{Name: name, MIME: "text/plain", Session: "mine"}, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	small, large := put("small.txt", "hello"), put("large.txt", strings.Repeat("x", 10<<20+1))
	r := server.Resources{Store: store}
	links, err := r.List("mine")
	if err != nil || len(links) != 2 || links[0].Name != "large.txt" || links[1].URI != small.URI() {
		t.Errorf("listed %+v, %v", links, err)
	}
	if links, err := r.List("yours"); err != nil || len(links) != 0 {
		t.Errorf("another session lists %+v, %v", links, err)
	}
	link, data, err := r.Read("mine", small.URI())
	if err != nil || string(data) != "hello" || link.MIME != "text/plain" {
		t.Errorf("read %+v %q, %v", link, data, err)
	}
	if _, _, err := r.Read("mine", large.URI()); err == nil || !strings.Contains(err.Error(), large.Path()) {
		t.Errorf("what is too large: %v", err)
	}
	for _, uri := range []string{"", "file:///etc/passwd", artifact.Scheme, artifact.Scheme + "../x", artifact.Scheme + strings.Repeat("a", 26)} {
		if _, _, err := r.Read("mine", uri); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", uri, err)
		}
	}
	if _, _, err := r.Read("yours", small.URI()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another session's: %v", err)
	}
}
