package artifact_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/owned"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func newStore(t *testing.T, dir string, limit int64) *artifact.Store {
	t.Helper()
	d, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return artifact.New(d, limit)
}

func put(t *testing.T, s *artifact.Store, name, session, text string) artifact.Artifact {
	t.Helper()
	a, err := s.Put(t.Context(), artifact.Meta{Name: name, MIME: "text/plain", Session: session}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ids(t *testing.T, s *artifact.Store, session string) []string {
	t.Helper()
	list, err := s.List(session)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, a := range list {
		out = append(out, a.ID)
	}
	return out
}

func TestAnotherProcessReadsArtifacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := put(t, newStore(t, dir, 0), "../../etc/a b.txt", "s1", "hello")
	again := newStore(t, dir, 0)
	got, f, err := again.Open(a.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil || string(text) != "hello" {
		t.Errorf("read %q, %v", text, err)
	}
	if diff := cmp.Diff(a, got, cmp.AllowUnexported(artifact.Artifact{})); diff != "" {
		t.Error(diff)
	}
	if a.Name != "a b.txt" || a.Size != 5 || filepath.Ext(a.Path()) != ".txt" || a.URI() != "callsheet://artifact/"+a.ID {
		t.Errorf("%+v at %s", a, a.Path())
	}
	if info, err := os.Stat(a.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if diff := cmp.Diff([]string{a.ID}, ids(t, again, "s1")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{}, ids(t, again, "s2")); diff != "" {
		t.Error(diff)
	}
	for _, id := range []string{"", "..", "../" + a.ID, strings.ToUpper(a.ID), strings.Repeat("a", 26)} {
		if _, _, err := again.Open(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestOldestArtifactsAreRemoved(t *testing.T) {
	t.Parallel()
	s := newStore(t, t.TempDir(), 10)
	first := put(t, s, "a", "s", "12345")
	second := put(t, s, "b", "s", "12345")
	third := put(t, s, "c", "s", "1")
	if diff := cmp.Diff([]string{second.ID, third.ID}, ids(t, s, "s")); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(first.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file of a removed artifact: %v", err)
	}
	_, err := s.Put(t.Context(), artifact.Meta{Name: "d", Session: "s"}, strings.NewReader("12345678901"))
	if !errors.Is(err, artifact.ErrTooLarge) || len(ids(t, s, "s")) != 2 {
		t.Errorf("an artifact above the limit: %v, %v", err, ids(t, s, "s"))
	}
}

func TestFailedPutLeavesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newStore(t, dir, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, artifact.Meta{Name: "a"}, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.PutFile(artifact.Meta{Name: "a"}, filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "artifacts")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestOrphansAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newStore(t, dir, 0)
	put(t, s, "a", "s", "x")
	stray := filepath.Join(dir, "artifacts", strings.Repeat("b", 26)+".part")
	fresh := filepath.Join(dir, "artifacts", strings.Repeat("c", 26)+".part")
	for _, path := range []string{stray, fresh} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(stray, old, old); err != nil {
		t.Fatal(err)
	}
	put(t, newStore(t, dir, 0), "b", "s", "x") // the next process
	if _, err := os.Stat(stray); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was abandoned: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("a file that is being written: %v", err)
	}
}

// TestIncomingOfADeadProcessIsSwept leaves directories of a living and of a dead process.
func TestIncomingOfADeadProcessIsSwept(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	living, remove, err := newStore(t, root, 0).Incoming()
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(filepath.Dir(living), "dead")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{owned.OwnerFile: "1\n", "guid": "half of a download"} {
		if err := os.WriteFile(filepath.Join(dead, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, removeNext, err := newStore(t, root, 0).Incoming()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory of a dead process: %v", err)
	}
	if _, err := os.Stat(living); err != nil {
		t.Errorf("the directory of a living process: %v", err)
	}
	if err := errors.Join(remove(), removeNext()); err != nil {
		t.Error(err)
	}
}

func TestPutFileMoves(t *testing.T) {
	t.Parallel()
	s := newStore(t, t.TempDir(), 0)
	in, remove, err := s.Incoming()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	}()
	file := filepath.Join(in, "guid")
	if err := os.WriteFile(file, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := s.PutFile(artifact.Meta{Name: "report.pdf", MIME: "application/pdf", Session: "s"}, file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) || a.Size != 4 {
		t.Errorf("%+v, %v", a, err)
	}
	link := filepath.Join(in, "link")
	if err := os.Symlink(a.Path(), link); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutFile(artifact.Meta{Name: "x"}, link); err == nil {
		t.Error("a symbolic link was taken")
	}
}

func TestConcurrentProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const writers, each = 8, 20
	var wg sync.WaitGroup
	for range writers {
		s := newStore(t, dir, 100) // room for ten of ten bytes
		wg.Go(func() {
			for range each {
				if _, err := s.Put(t.Context(), artifact.Meta{Name: "a.bin", Session: "s"}, strings.NewReader("0123456789")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := newStore(t, dir, 100)
	put(t, s, "last", "s", "0123456789")
	if n := len(ids(t, s, "s")); n < 1 || n > 10 {
		t.Errorf("%d artifacts are left", n)
	}
}

func TestCleanName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":                               "file",
		"..":                             "file",
		"/etc/passwd":                    "passwd",
		`C:\Users\x\a.exe`:               "a.exe",
		".bashrc":                        "bashrc",
		"a\x00b\n.txt":                   "a_b_.txt",
		"invoice\u202egpj.exe":           "invoicegpj.exe",
		"con.txt":                        "_con.txt",
		"COM1":                           "_COM1",
		"what?*.pdf. ":                   "what__.pdf",
		strings.Repeat("é", 200) + ".gz": strings.Repeat("é", 58) + ".gz",
		"\xff.png":                       "_.png",
	} {
		if got := artifact.CleanName(name); got != want {
			t.Errorf("%q gives %q, want %q", name, got, want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	f.Add("a/b.png")
	f.Add("\u202e.")
	f.Fuzz(func(t *testing.T, name string) {
		got := artifact.CleanName(name)
		if got == "" || len(got) > 121 || !utf8.ValidString(got) || !filepath.IsLocal(got) || strings.ContainsAny(got, "/\\\x00") {
			t.Errorf("%q gives %q", name, got)
		}
		if again := artifact.CleanName(got); again != got {
			t.Errorf("%q gives %q, then %q", name, got, again)
		}
	})
}
