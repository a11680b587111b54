package identity_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func TestContextsAreEncrypted(t *testing.T) {
	dir, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	key := "correct horse battery"
	contexts := identity.New(dir, seal.New(func() (string, error) { return key, nil }))
	name, err := contexts.Save(powertest.Secret, identity.Context{Origin: "https://example.com", Cookies: []identity.Cookie{{Name: "sid", Value: "hunter2"}}})
	if err != nil {
		t.Fatal(err)
	}
	path := dir.Path("contexts", name+".sealed")
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "hunter2") || strings.Contains(string(text), "example.com") {
		t.Fatalf("the file shows what is in it: %v", err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the file: %v %v", info, err)
	}
	if got, err := contexts.Load(powertest.Secret, name); err != nil || got.Origin != "https://example.com" || got.Cookies[0].Value != "hunter2" {
		t.Errorf("%+v, %v", got, err)
	}
	other := strings.Repeat("A", 26)
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), other+".sealed"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := contexts.Load(powertest.Secret, other); !errors.Is(err, seal.ErrNotOpened) {
		t.Errorf("under another id: %v", err)
	}
	for _, bad := range []string{"", "../" + name, "nope", strings.ToLower(name), strings.Repeat("B", 26)} {
		if _, err := contexts.Load(powertest.Secret, bad); !errors.Is(err, identity.ErrUnknown) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := identity.New(dir, seal.New(func() (string, error) { return "another horse battery", nil })).Load(powertest.Secret, name); !errors.Is(err, seal.ErrNotOpened) {
		t.Errorf("with another key: %v", err)
	}
}

func TestOldestContextsAreRemoved(t *testing.T) {
	dir, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Make("contexts"); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		if err := os.WriteFile(dir.Path("contexts", strings.Repeat("A", 24)+string(rune('A'+i/26))+string(rune('A'+i%26))+".sealed"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	contexts := identity.New(dir, seal.New(func() (string, error) { return "correct horse battery", nil }))
	name, err := contexts.Save(powertest.Secret, identity.Context{Origin: "https://example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(dir.Path("contexts", "*")); err != nil || len(files) != 50 {
		t.Errorf("%d contexts stay, %v", len(files), err)
	}
	if _, err := contexts.Load(powertest.Secret, name); err != nil {
		t.Errorf("the newest went: %v", err)
	}
}

func TestOrigin(t *testing.T) {
	if got, err := identity.Origin("https://Example.com:8443/a?b#c"); err != nil || got != "https://example.com:8443" {
		t.Error(got, err)
	}
	for _, bad := range []string{"about:blank", "file:///etc/passwd", "data:text/html,x", "://"} {
		if got, err := identity.Origin(bad); err == nil {
			t.Errorf("%s has origin %q", bad, got)
		}
	}
}

// TestEmptyStorageDiffersFromAbsent checks that a context distinguishes empty storage from storage
// that was not exported.
func TestEmptyStorageDiffersFromAbsent(t *testing.T) {
	dir, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	contexts := identity.New(dir, seal.New(func() (string, error) { return "correct horse battery", nil }))
	name, err := contexts.Save(powertest.Secret, identity.Context{Origin: "https://example.com", Local: map[string]string{}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := contexts.Load(powertest.Secret, name); err != nil || got.Local == nil || len(got.Local) != 0 || got.Session != nil {
		t.Errorf("%#v, %v", got, err)
	}
}
