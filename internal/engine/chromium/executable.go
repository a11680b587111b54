package chromium

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/codes"
)

// NoBrowserError reports that no Chromium was found.
type NoBrowserError struct {
	Candidates []string // names and paths that were tried, in order
}

func (e *NoBrowserError) Error() string {
	how := "install Google Chrome or Chromium"
	switch runtime.GOOS {
	case "linux":
		how = "run: callsheet browser install, or on Debian: apt-get install chromium " +
			"(Fedora: dnf install chromium, Arch: pacman -S chromium, Alpine: apk add chromium)"
	case "darwin":
		how = "install Google Chrome, or run: brew install --cask chromium"
	case "windows":
		how = "install Google Chrome, or run: winget install Google.Chrome"
	}
	return fmt.Sprintf("no Chromium found (looked for %s): %s; or point CHROME_PATH or --browser to one",
		strings.Join(e.Candidates, ", "), how)
}

// Code is fault.NoBrowser.
func (*NoBrowserError) Code() codes.Code { return codes.NoBrowser }

// Installed returns the browsers of this machine that FindExecutable chooses from, in its order.
func Installed() (paths []string) {
	for _, c := range knownExecutables(runtime.GOOS) {
		path, err := exec.LookPath(c)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// FindExecutable returns the path of the configured executable. For "" it tries $CHROME_PATH, or
// else the usual names and places of the operating system. It never replaces a configured name by
// another browser. The error is a NoBrowserError.
func FindExecutable(configured string) (string, error) {
	candidates := []string{configured}
	if configured == "" {
		if env := os.Getenv("CHROME_PATH"); env != "" {
			candidates = []string{env}
		} else {
			candidates = knownExecutables(runtime.GOOS)
		}
	}
	for _, c := range candidates {
		if path, err := exec.LookPath(c); err == nil {
			return path, nil
		}
	}
	return "", &NoBrowserError{Candidates: candidates}
}

// knownExecutables lists the names on the PATH and then the places where an operating system keeps
// Chromium. Chromium comes before Chrome, which updates itself while it runs.
func knownExecutables(goos string) []string {
	names := []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"chrome", "headless-shell", "headless_shell",
	}
	switch goos {
	case "darwin":
		apps := []string{
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		}
		for _, app := range apps {
			names = append(names, app, filepath.Join(os.Getenv("HOME"), app))
		}
	case "windows":
		for _, root := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			dir := os.Getenv(root)
			if dir == "" {
				continue
			}
			names = append(names,
				filepath.Join(dir, `Google\Chrome\Application\chrome.exe`),
				filepath.Join(dir, `Chromium\Application\chrome.exe`),
				filepath.Join(dir, `Microsoft\Edge\Application\msedge.exe`))
		}
	default:
		names = append(names,
			"/usr/lib/chromium/chromium", "/snap/bin/chromium", "/opt/google/chrome/chrome",
			"/usr/local/bin/chrome")
	}
	return append(names, cachedBrowsers(goos)...)
}

// cachedBrowsers lists the browsers that Playwright and Puppeteer have downloaded, the newest of each first.
func cachedBrowsers(goos string) (found []string) {
	cache, err := os.UserCacheDir()
	home, homeErr := os.UserHomeDir()
	if err != nil || homeErr != nil {
		return nil
	}
	program := map[string]string{
		"darwin":  filepath.Join("chrome-mac*", "*.app", "Contents", "MacOS", "*"),
		"windows": filepath.Join("chrome-win*", "chrome.exe"),
	}[goos]
	if program == "" {
		program = filepath.Join("chrome-linux*", "chrome")
	}
	own := filepath.Join(home, ".cache", "puppeteer") // where callsheet browser install puts one
	playwright := cmp.Or(os.Getenv("PLAYWRIGHT_BROWSERS_PATH"), filepath.Join(cache, "ms-playwright"))
	puppeteer := cmp.Or(os.Getenv("PUPPETEER_CACHE_DIR"), own)
	for _, pattern := range []string{
		filepath.Join(playwright, "chromium-*", program),
		filepath.Join(puppeteer, "chrome", "*", program),
		filepath.Join(own, "chrome", "*", program),
		filepath.Join(playwright, "chromium_headless_shell-*", "chrome-*", "*headless?shell"),
		filepath.Join(puppeteer, "chrome-headless-shell", "*", "*", "chrome-headless-shell"),
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			continue // a directory with a bracket in its name
		}
		slices.SortFunc(paths, newestFirst)
		found = append(found, paths...)
	}
	return found
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+`) })

// newestFirst compares paths by the numbers in them.
func newestFirst(a, b string) int {
	return slices.CompareFunc(digits().FindAllString(b, -1), digits().FindAllString(a, -1), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	})
}
