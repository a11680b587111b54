package chrome

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// packages returns a browser, the sandbox that it has where a user may make no namespaces, and letters.
func packages() []string { return []string{"chromium", "chromium-sandbox", "fonts-liberation"} }

// InstallPackages installs the packages of Debian, which root may do.
func InstallPackages(ctx context.Context, progress Progress) error {
	_, err := aptInstall(ctx, progress, nil)
	return err
}

// plannedVersion finds the version of the browser among the files that apt-get would download.
var plannedVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\S+ chromium_([^_/\s]+)_\S+\.deb `) })

// UnpackPackages unpacks the packages of Debian, and those that this system lacks for them, into the cache, and returns
// the path of a program that starts the browser there.
func UnpackPackages(ctx context.Context, progress Progress) (string, error) {
	return incoming(func(parent, scratch string) (string, error) {
		for _, dir := range []string{"lists/partial", "archives/partial", "files/chrome-linux/root"} {
			if err := os.MkdirAll(filepath.Join(scratch, dir), 0o755); err != nil {
				return "", err
			}
		}
		own := []string{"-o", "Debug::NoLocking=1", "-o", "Dir::State=" + scratch, "-o", "Dir::State::lists=lists", "-o", "Dir::Cache=" + scratch, "-o", "Dir::Cache::archives=archives"}
		own = append(own, "--download-only", "--reinstall")
		planned, err := aptInstall(ctx, progress, own, "--print-uris")
		version := plannedVersion().FindStringSubmatch(planned)
		if err != nil || version == nil {
			return "", cmp.Or(err, errors.New("apt-get plans no chromium"))
		}
		target := filepath.Join(parent, "linux-"+version[1])
		if _, err := os.Stat(target); err == nil {
			return find(target)
		}
		if _, err := apt(ctx, progress, slices.Concat(own, []string{"install"}, packages())...); err != nil {
			return "", err
		}
		archives, err := filepath.Glob(filepath.Join(scratch, "archives", "*.deb"))
		if err != nil {
			return "", err
		}
		for i, archive := range archives {
			name, _, _ := strings.Cut(filepath.Base(archive), "_")
			progress(float64(i), float64(len(archives)), "Unpacking "+name)
			if name == "libc6" { // the system's loader loads the system's
				continue
			}
			if said, err := exec.CommandContext(ctx, "dpkg-deb", "-x", archive, filepath.Join(scratch, "files/chrome-linux/root")).CombinedOutput(); err != nil {
				return "", fmt.Errorf("unpack %s: %w: %s", name, err, bytes.TrimSpace(said))
			}
		}
		if err := writeStarter(filepath.Join(scratch, "files/chrome-linux"), filepath.Join(target, "chrome-linux")); err != nil {
			return "", err
		}
		if err := os.Rename(filepath.Join(scratch, "files"), target); err != nil {
			return "", err
		}
		return find(target)
	})
}

// writeStarter writes a program into a directory that starts the browser in its subdirectory root, with the libraries
// and letters there, when the directory has its last name.
func writeStarter(dir, last string) error {
	var libraries []string
	err := filepath.WalkDir(filepath.Join(dir, "root"), func(path string, d fs.DirEntry, err error) error {
		if at, relErr := filepath.Rel(dir, filepath.Dir(path)); err == nil && relErr == nil && strings.HasPrefix(d.Name(), "lib") && strings.Contains(d.Name(), ".so") && !slices.Contains(libraries, "$d/"+at) {
			libraries = append(libraries, "$d/"+at)
		}
		return err
	})
	if err != nil {
		return err
	}
	fonts := "<fontconfig><dir>" + html.EscapeString(last) + "/root/usr/share/fonts</dir><include ignore_missing=\"yes\">/etc/fonts/fonts.conf</include></fontconfig>\n"
	if err := os.WriteFile(filepath.Join(dir, "fonts.conf"), []byte(fonts), 0o644); err != nil {
		return err
	}
	script := "#!/bin/sh\nd='" + strings.ReplaceAll(last, "'", `'\''`) + "'\nexport LD_LIBRARY_PATH=\"" + strings.Join(libraries, ":") + "\" FONTCONFIG_FILE=\"$d/fonts.conf\" XKB_CONFIG_ROOT=\"$d/root/usr/share/X11/xkb\"\n" +
		"exec \"$d/root/usr/lib/chromium/chromium\" \"$@\"\n"
	return os.WriteFile(filepath.Join(dir, "chrome"), []byte(script), 0o755)
}

// aptInstall updates the lists of packages and installs. Its error has what was wrong with the lists, too.
func aptInstall(ctx context.Context, progress Progress, options []string, more ...string) (said string, err error) {
	updated, err := apt(ctx, progress, append(slices.Clone(options), "update")...)
	if err != nil {
		return "", err
	}
	said, err = apt(ctx, progress, slices.Concat(options, more, []string{"install"}, packages())...)
	if err != nil {
		err = fmt.Errorf("%w; %s", err, complaints(updated))
	}
	return said, err
}

// apt runs apt-get without questions and returns what it says, which is in the error of a failure, too.
func apt(ctx context.Context, progress Progress, args ...string) (said string, err error) {
	log, err := os.CreateTemp("", "apt-get-*.log") // no pipe, which a service that a package starts would keep open
	if err != nil {
		return "", err
	}
	defer func() { _, _ = log.Close(), os.Remove(log.Name()) }()
	status, write, err := os.Pipe()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "apt-get", append([]string{"-y", "-q", "--no-install-recommends", "-o", "APT::Status-Fd=3"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, []*os.File{write}
	err = cmd.Start()
	_ = write.Close() // apt-get has its own
	if err != nil {
		return "", errors.Join(err, status.Close())
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines := bufio.NewScanner(status); lines.Scan(); {
			if at := strings.SplitN(lines.Text(), ":", 4); len(at) == 4 { // what:package:percent:words
				if percent, err := strconv.ParseFloat(at[2], 64); err == nil {
					progress(percent, 100, at[3])
				}
			}
		}
	})
	err = cmd.Wait()
	_ = status.Close() // a service that a package started has the other end
	reading.Wait()
	text, readErr := os.ReadFile(log.Name())
	if err != nil {
		return "", fmt.Errorf("apt-get: %w: %s", err, complaints(string(text)))
	}
	return string(text), readErr
}

// complaints are the errors and warnings that apt-get printed.
func complaints(said string) string {
	lines := slices.DeleteFunc(strings.Split(said, "\n"), func(line string) bool { return !strings.HasPrefix(line, "E: ") && !strings.HasPrefix(line, "W: ") })
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}
