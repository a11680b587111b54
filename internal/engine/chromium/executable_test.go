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

// TestCachedBrowsers has two versions of Playwright's browser and two of Puppeteer's, and one of a browser that is none; then
// the caches elsewhere.
func TestCachedBrowsers(t *testing.T) {
	t.Setenv("PLAYWRIGHT_BROWSERS_PATH", "")
	t.Setenv("PUPPETEER_CACHE_DIR", "")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	for _, name := range []string{
		"ms-playwright/chromium-991/chrome-linux/chrome", "ms-playwright/chromium-1200/chrome-linux64/chrome", "ms-playwright/firefox-1500/firefox/firefox",
		"puppeteer/chrome/linux-99.0.1/chrome-linux64/chrome", "puppeteer/chrome/linux-131.0.6778.204/chrome-linux64/chrome",
		"ms-playwright/chromium_headless_shell-1155/chrome-linux/headless_shell", "ms-playwright/chromium_headless_shell-1155/chrome-linux/headless_lib.pak",
		"puppeteer/chrome-headless-shell/linux-131.0.1/chrome-headless-shell-linux64/chrome-headless-shell",
		"elsewhere/chromium-1300/chrome-linux/chrome", "other/chrome/linux-140.0.1/chrome-linux64/chrome",
	} {
		path := filepath.Join(home, ".cache", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want ...string) {
		t.Helper()
		var got []string
		for _, path := range cachedBrowsers("linux") {
			rel, _ := filepath.Rel(filepath.Join(home, ".cache"), path)
			got = append(got, rel)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	own := []string{"puppeteer/chrome/linux-131.0.6778.204/chrome-linux64/chrome", "puppeteer/chrome/linux-99.0.1/chrome-linux64/chrome"}
	check("ms-playwright/chromium-1200/chrome-linux64/chrome", "ms-playwright/chromium-991/chrome-linux/chrome", own[0], own[1], own[0], own[1],
		"ms-playwright/chromium_headless_shell-1155/chrome-linux/headless_shell",
		"puppeteer/chrome-headless-shell/linux-131.0.1/chrome-headless-shell-linux64/chrome-headless-shell")
	t.Setenv("PLAYWRIGHT_BROWSERS_PATH", filepath.Join(home, ".cache/elsewhere"))
	t.Setenv("PUPPETEER_CACHE_DIR", filepath.Join(home, ".cache/other"))
	check("elsewhere/chromium-1300/chrome-linux/chrome", "other/chrome/linux-140.0.1/chrome-linux64/chrome", own[0], own[1])
}
