//go:build unix

package chromium

import (
	"os"
	"path/filepath"
	"testing"
)

// TestProfilesArePrivate makes the directories of a browser, which hold cookies.
func TestProfilesArePrivate(t *testing.T) {
	t.Parallel()
	profile := filepath.Join(t.TempDir(), "deep", "profile")
	d, err := OpenDataDir(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Remove(t.Context()) })
	for _, path := range []string{profile, filepath.Dir(profile), d.TempDir, filepath.Dir(d.TempDir)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
}
