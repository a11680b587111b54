package running

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// profilesOfProcesses returns the profile directories that the command lines of running browsers name. It skips the
// browsers of other users and of other home directories, and those that a program drives over a pipe.
func profilesOfProcesses() (dirs []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		dir := profileOfCommand(string(text))
		if dir == "" {
			continue
		}
		process := filepath.Dir(file)
		environment, err := os.ReadFile(filepath.Join(process, "environ"))
		if err != nil || !hasVariable(environment, "HOME="+home) {
			continue
		}
		if !filepath.IsAbs(dir) {
			current, err := os.Readlink(filepath.Join(process, "cwd"))
			if err != nil {
				continue
			}
			dir = filepath.Join(current, dir)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

func hasVariable(environment []byte, variable string) bool {
	for v := range bytes.SplitSeq(environment, []byte{0}) {
		if string(v) == variable {
			return true
		}
	}
	return false
}

// profileOfCommand returns the profile directory of a browser's command line, or "" if it is none of a browser's first
// process. Chromium rewrites its command line, with spaces between the arguments.
func profileOfCommand(text string) (dir string) {
	text = strings.TrimRight(text, "\x00")
	separator := "\x00"
	if !strings.Contains(text, separator) {
		separator = " --"
	}
	for i, arg := range strings.Split(text, separator) {
		arg = strings.TrimPrefix(arg, "--")
		value, isProfile := strings.CutPrefix(arg, "user-data-dir=")
		switch {
		case i == 0:
		case strings.HasPrefix(arg, "type="), arg == "remote-debugging-pipe":
			return ""
		case isProfile && separator == "\x00":
			dir = value
		case isProfile: // addresses may stand after the last switch
			dir, _, _ = strings.Cut(value, " http")
			dir, _, _ = strings.Cut(dir, " about:")
		}
	}
	return dir
}
