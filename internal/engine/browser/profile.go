package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	profilePrefix = "callsheet-profile-"
	ownerFile     = "callsheet-owner"
	// ownerGrace is the age under which a profile without a readable owner is
	// taken to be in the making, not abandoned.
	ownerGrace = time.Minute
)

// tempProfile is a profile directory of ours. Its owner file holds our process id
// for people, and a lock that the kernel drops with the process for programs: ids
// are reused, quickly so in containers that share a temporary directory, locks are not.
type tempProfile struct {
	dir  string
	temp bool
	lock *os.File
}

func newTempProfile() (*tempProfile, error) {
	dir, err := os.MkdirTemp("", profilePrefix)
	if err != nil {
		return nil, fmt.Errorf("make a temporary profile: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, ownerFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		if _, err = lockOwner(lock); err == nil {
			_, err = lock.WriteString(strconv.Itoa(os.Getpid()) + "\n")
		}
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("claim the temporary profile: %w", err)
	}
	return &tempProfile{dir: dir, temp: true, lock: lock}, nil
}

// remove deletes a temporary profile. Children of a dying Chromium can write into it
// for a moment, so it tries for a while; there is no event to wait for.
func (p *tempProfile) remove(ctx context.Context) error {
	if p == nil || !p.temp {
		return nil
	}
	_ = p.lock.Close() // its content does not matter any more, and Windows removes no file that is open
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(5 * time.Second)
	for {
		err := os.RemoveAll(p.dir)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit:
			return fmt.Errorf("remove the temporary profile: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("remove the temporary profile: %w", errors.Join(err, ctx.Err()))
		}
	}
}

// sweepProfiles removes the temporary profiles whose owners are dead and returns how
// many it removed. Failures are left for the next sweep.
func sweepProfiles(root string, now time.Time) int {
	dirs, err := filepath.Glob(filepath.Join(root, profilePrefix+"*"))
	if err != nil {
		return 0
	}
	swept := 0
	for _, dir := range dirs {
		if isAbandoned(dir, now) && os.RemoveAll(dir) == nil {
			swept++
		}
	}
	return swept
}

func isAbandoned(dir string, now time.Time) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	young := now.Sub(info.ModTime()) < ownerGrace
	lock, err := os.OpenFile(filepath.Join(dir, ownerFile), os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) && !young
	}
	defer func() { _ = lock.Close() }() // it was only read
	if held, err := lockOwner(lock); held || err != nil {
		return false
	}
	line, err := os.ReadFile(lock.Name())
	return err == nil && (strings.TrimSpace(string(line)) != "" || !young)
}

// Profile is one profile of an installed Chrome.
type Profile struct {
	Directory string // under the user data directory, such as "Default"
	Name      string // as the person named it
	UserName  string // the signed-in account, or ""
	Active    bool   // the one used last
}

// Profiles lists the profiles in a Chrome user data directory, in the order of their
// directories; "" means Chrome's own for this operating system. It launches nothing.
func (b *Browser) Profiles(userDataDir string) ([]Profile, error) {
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

// defaultUserDataDir returns the first existing of Chrome's and Chromium's own
// directories, or Chrome's if there is neither, so that the error names it.
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
