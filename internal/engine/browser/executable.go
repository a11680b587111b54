package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// findExecutable resolves the configured name, or looks for a Chromium where one is
// usually installed. A name that was asked for is never replaced by another browser:
// a test against the wrong one is worse than none.
func findExecutable(configured string) (string, error) {
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

// knownExecutables lists names on the PATH first, then places, for one operating
// system. Branded Chrome comes after Chromium where both can exist under a name,
// because it updates itself while it runs.
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
