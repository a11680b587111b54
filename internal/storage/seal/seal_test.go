package seal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/storage/seal"
)

func with(passphrase string) *seal.Sealer {
	return seal.New(func() (string, error) { return passphrase, nil })
}

func TestOpenNeedsSamePurpose(t *testing.T) {
	s, plain := with("correct horse battery"), []byte("JBSWY3DPEHPK3PXP")
	sealed, err := s.Seal("totp example.com", plain)
	if err != nil || bytes.Contains(sealed, plain) {
		t.Fatal(sealed, err)
	}
	if got, err := with("correct horse battery").Open("totp example.com", sealed); err != nil || !bytes.Equal(got, plain) {
		t.Fatal(string(got), err)
	}
	again, err := s.Seal("totp example.com", plain)
	if err != nil || bytes.Equal(again, sealed) {
		t.Errorf("the same text seals to the same bytes: %v", err)
	}
	for name, open := range map[string]func() ([]byte, error){
		"another purpose": func() ([]byte, error) { return s.Open("totp example.org", sealed) },
		"another key":     func() ([]byte, error) { return with("another horse battery").Open("totp example.com", sealed) },
		"not sealed":      func() ([]byte, error) { return s.Open("totp example.com", plain) },
		"nothing":         func() ([]byte, error) { return s.Open("totp example.com", nil) },
	} {
		if got, err := open(); !errors.Is(err, seal.ErrNotOpened) || got != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, at := range []int{20, len(sealed) / 2, len(sealed) - 1} {
		changed := bytes.Clone(sealed)
		changed[at] ^= 1
		if _, err := s.Open("totp example.com", changed); !errors.Is(err, seal.ErrNotOpened) {
			t.Errorf("byte %d changed: %v", at, err)
		}
		if _, err := s.Open("totp example.com", sealed[:at]); !errors.Is(err, seal.ErrNotOpened) {
			t.Errorf("cut at %d: %v", at, err)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	t.Setenv(seal.KeyVariable, "")
	t.Setenv(seal.KeyFileVariable, "")
	if _, err := seal.New(seal.FromEnvironment).Seal("x", nil); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("without a key: %v", err)
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("a passphrase of a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(seal.KeyFileVariable, path)
	if key, err := seal.FromEnvironment(); err != nil || key != "a passphrase of a file" {
		t.Errorf("%q, %v", key, err)
	}
	t.Setenv(seal.KeyVariable, "short")
	if _, err := seal.New(seal.FromEnvironment).Seal("x", nil); err == nil {
		t.Error("a short key was taken")
	}
}
