package chromium

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// NoBrowserError reports that no Chromium was found.
type NoBrowserError struct {
	Candidates []string // names and paths that were tried, in order
}

func (e *NoBrowserError) Error() string {
	how := "install Google Chrome or Chromium"
	switch runtime.GOOS {
	case "linux":
		how = "on Debian or Ubuntu run: apt-get install chromium " +
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

// Fields returns nil.
func (*NoBrowserError) Fields() []fault.Field { return nil }

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
	return names
}
