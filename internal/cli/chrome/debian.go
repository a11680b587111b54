package chrome

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// installScript installs packages as root, unpackScript unpacks them without.
const installScript = `run() { apt-get -y -q --no-install-recommends -o APT::Status-Fd=3 "$@"; }; run update && run install "$@"`

//go:embed unpack.sh
var unpackScript string

// InstallPackages installs the packages of Debian, which root may do.
func InstallPackages(ctx context.Context, progress Progress) error {
	_, err := apt(ctx, progress, installScript)
	return err
}

// UnpackPackages unpacks the packages of Debian into the cache, and returns the path of a program that starts the browser
// there.
func UnpackPackages(ctx context.Context, progress Progress) (string, error) {
	return incoming(func(parent, scratch string) (string, error) {
		said, err := apt(ctx, progress, unpackScript, scratch, parent)
		if err != nil {
			return "", err
		}
		return find(strings.TrimSpace(said[strings.LastIndex(said, "installed ")+len("installed "):]))
	})
}

// apt runs a script that calls apt-get for a browser, the sandbox that it has where a user may make no namespaces, and letters.
// It returns what the script says; the complaints in it are in the error of a failure.
func apt(ctx context.Context, progress Progress, script string, args ...string) (said string, err error) {
	log, err := os.CreateTemp("", "apt-get-*.log") // no pipe, which a service that a package starts would keep open
	if err != nil {
		return "", err
	}
	defer func() { _, _ = log.Close(), os.Remove(log.Name()) }()
	status, write, err := os.Pipe()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "sh", slices.Concat([]string{"-c", script, "apt"}, args, []string{"chromium", "chromium-sandbox", "fonts-liberation"})...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, []*os.File{write}
	err = cmd.Start()
	_ = write.Close() // the script has its own
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
		lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return !strings.HasPrefix(line, "E: ") && !strings.HasPrefix(line, "W: ") && !strings.HasPrefix(line, "dpkg-deb: ")
		})
		return "", fmt.Errorf("apt-get: %w: %s", err, strings.Join(lines[:min(5, len(lines))], "; "))
	}
	return string(text), readErr
}
