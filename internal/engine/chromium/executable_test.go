package chromium

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKnownExecutables(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"darwin", "windows", "linux"} {
		if !slices.Contains(knownExecutables(goos), "chromium") {
			t.Errorf("%s: no chromium", goos)
		}
	}
}

// TestCachedBrowsers has two versions of Playwright's browser and two of Puppeteer's, and one of a browser that is none.
func TestCachedBrowsers(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	for _, name := range []string{
		"ms-playwright/chromium-991/chrome-linux/chrome", "ms-playwright/chromium-1200/chrome-linux64/chrome", "ms-playwright/firefox-1500/firefox/firefox",
		"puppeteer/chrome/linux-99.0.1/chrome-linux64/chrome", "puppeteer/chrome/linux-131.0.6778.204/chrome-linux64/chrome",
	} {
		path := filepath.Join(home, ".cache", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, path := range cachedBrowsers("linux") {
		rel, _ := filepath.Rel(filepath.Join(home, ".cache"), path)
		got = append(got, rel)
	}
	if diff := cmp.Diff([]string{
		"ms-playwright/chromium-1200/chrome-linux64/chrome", "ms-playwright/chromium-991/chrome-linux/chrome",
		"puppeteer/chrome/linux-131.0.6778.204/chrome-linux64/chrome", "puppeteer/chrome/linux-99.0.1/chrome-linux64/chrome",
	}, got); diff != "" {
		t.Error(diff)
	}
}
