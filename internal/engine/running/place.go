package running

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Place is a profile directory and the product that keeps it there.
type Place struct{ Product, Dir string }

// Usual returns the profile directories of the products on this system, existing or not.
func Usual() []Place {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		config = filepath.Join(home, ".config")
	}
	return usualOn(runtime.GOOS, home, config, os.Getenv("LOCALAPPDATA"))
}

// usualOn is Usual for an operating system and its directories.
func usualOn(system, home, config, local string) []Place {
	switch system {
	case "darwin":
		base := filepath.Join(home, "Library", "Application Support")
		return []Place{
			{"Google Chrome", filepath.Join(base, "Google", "Chrome")},
			{"Google Chrome Beta", filepath.Join(base, "Google", "Chrome Beta")},
			{"Google Chrome Dev", filepath.Join(base, "Google", "Chrome Dev")},
			{"Google Chrome Canary", filepath.Join(base, "Google", "Chrome Canary")},
			{"Chromium", filepath.Join(base, "Chromium")},
		}
	case "windows":
		var places []Place
		for _, p := range []Place{
			{"Google Chrome", `Google\Chrome`}, {"Google Chrome Beta", `Google\Chrome Beta`}, {"Google Chrome Dev", `Google\Chrome Dev`},
			{"Google Chrome Canary", `Google\Chrome SxS`}, {"Chromium", "Chromium"},
		} {
			places = append(places, Place{p.Product, local + `\` + p.Dir + `\User Data`})
		}
		return places
	}
	return []Place{
		{"Google Chrome", filepath.Join(config, "google-chrome")},
		{"Google Chrome Beta", filepath.Join(config, "google-chrome-beta")},
		{"Google Chrome Dev", filepath.Join(config, "google-chrome-unstable")},
		{"Google Chrome", filepath.Join(home, ".var", "app", "com.google.Chrome", "config", "google-chrome")},
		{"Chromium", filepath.Join(config, "chromium")},
		{"Chromium", filepath.Join(home, "snap", "chromium", "common", "chromium")},
		{"Chromium", filepath.Join(home, ".var", "app", "org.chromium.Chromium", "config", "chromium")},
	}
}

// holder says whether a browser has a profile directory open.
type holder int

const (
	heldUnknown holder = iota // this system does not say, or another machine has it
	heldNot
	heldHere
)

// isHeld reads the lock of a profile directory: a symbolic link to HOST-PID, which a browser that
// was killed leaves behind.
func isHeld(dir string) holder {
	if runtime.GOOS == "windows" {
		return heldUnknown
	}
	link, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	at := strings.LastIndexByte(link, '-')
	if err != nil || at < 0 {
		return heldNot
	}
	if host, err := os.Hostname(); err != nil || host != link[:at] {
		return heldUnknown
	}
	if processRuns(link[at+1:]) {
		return heldHere
	}
	return heldNot
}
