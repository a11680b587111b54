package chromium

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Profile is one profile of an installed Chrome.
type Profile struct {
	Directory string // under the user data directory, such as "Default"
	Name      string // the user's name for it
	UserName  string // the signed-in account, or ""
	Active    bool   // the one used last
}

// Profiles lists the profiles in a Chrome user data directory, in the order of their directories;
// "" means Chrome's own for this operating system. It launches nothing.
func Profiles(userDataDir string) ([]Profile, error) {
	if userDataDir == "" {
		var err error
		if userDataDir, err = defaultUserDataDir(); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(filepath.Join(userDataDir, "Local State"))
	if err != nil {
		return nil, fmt.Errorf("read the profiles of %s: %w", userDataDir, err)
	}
	profiles, err := parseLocalState(data)
	if err != nil {
		return nil, fmt.Errorf("read the profiles of %s: %w", userDataDir, err)
	}
	return profiles, nil
}

// CheckProfile returns an error if Chromium's "Local State" file in a user data directory cannot be
// read. A directory without the file is valid: the browser writes it.
func CheckProfile(userDataDir string) error {
	data, err := os.ReadFile(filepath.Join(userDataDir, "Local State"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = parseLocalState(data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(userDataDir, "Local State"), err)
	}
	return nil
}

// parseLocalState reads what Chrome keeps about profiles in its "Local State" file.
func parseLocalState(data []byte) ([]Profile, error) {
	var state struct {
		Profile struct {
			LastUsed string `json:"last_used"`
			Cache    map[string]struct {
				Name     string `json:"name"`
				UserName string `json:"user_name"`
			} `json:"info_cache"`
		} `json:"profile"`
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return nil, fmt.Errorf("decode Local State: %w", err)
	}
	profiles := make([]Profile, 0, len(state.Profile.Cache))
	for dir, p := range state.Profile.Cache {
		profiles = append(profiles, Profile{
			Directory: dir, Name: p.Name, UserName: p.UserName, Active: dir == state.Profile.LastUsed,
		})
	}
	slices.SortFunc(profiles, func(a, b Profile) int { return strings.Compare(a.Directory, b.Directory) })
	return profiles, nil
}

// defaultUserDataDir returns the first existing one of Chrome's and Chromium's own directories. If
// neither exists it returns Chrome's, so that the error names it.
func defaultUserDataDir() (string, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the user's configuration directory: %w", err)
	}
	names := []string{"google-chrome", "chromium"}
	switch runtime.GOOS {
	case "darwin":
		names = []string{"Google/Chrome", "Chromium"}
	case "windows":
		if local := os.Getenv("LocalAppData"); local != "" {
			config = local
		}
		names = []string{`Google\Chrome\User Data`, `Chromium\User Data`}
	}
	for _, name := range names {
		dir := filepath.Join(config, name)
		if _, err := os.Stat(dir); err == nil {
			return dir, nil
		}
	}
	return filepath.Join(config, names[0]), nil
}
