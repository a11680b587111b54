// Package compile runs the Go compiler and the manifest compiler for a release: programs, manual
// pages, completions and metadata. It must not know how they are packed.
package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

// Source is a checkout, and what its programs say of themselves.
type Source struct {
	Root    string // the directory of the server's module
	Version string // a semantic version, as 1.2.3
	Time    time.Time
}

// Binary compiles a program of cmd/ for a target. The same source and the same Go give the same bytes: no path, no state of
// version control and no C compiler takes part.
func (s Source) Binary(ctx context.Context, program string, t target.Target, out string) error {
	return s.build(ctx, program, out, "release", []string{"GOOS=" + t.OS, "GOARCH=" + t.Arch})
}

func (s Source) build(ctx context.Context, program, out, tags string, env []string) error {
	abs, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	env = append(env, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	_, err = s.run(ctx, env, "go", "build", "-tags", tags, "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+s.Version, "-o", abs, "./cmd/"+program)
	return err
}

// Page is a manual page or a completion: a file that is made of the command line's own description.
type Page struct {
	Name string
	Data []byte
}

// Shells are the shells that have completions.
var Shells = [...]string{"bash", "zsh", "fish"}

// Help is the manual pages and the shell completions of the command line.
type Help struct {
	Manual      []Page            // section 1, one page per command
	Completions map[string][]byte // by shell
}

// Help builds the programs once more with their command "manual", and asks that for pages, and the server for completions.
func (s Source) Help(ctx context.Context) (h Help, err error) {
	scratch, err := os.MkdirTemp("", "callsheet-help-*")
	if err != nil {
		return h, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	program, pages := filepath.Join(scratch, target.Program), filepath.Join(scratch, "man")
	for _, name := range []string{target.Program, target.SiteProgram} { // the second one's pages are about the same commands, and say more
		file := filepath.Join(scratch, name)
		if err := s.build(ctx, name, file, "release,manual", nil); err != nil {
			return h, err
		}
		if _, err := s.run(ctx, s.epoch(), file, "manual", pages); err != nil {
			return h, err
		}
	}
	names, err := os.ReadDir(pages)
	if err != nil {
		return h, err
	}
	for _, n := range names {
		data, err := os.ReadFile(filepath.Join(pages, n.Name()))
		if err != nil {
			return h, err
		}
		h.Manual = append(h.Manual, Page{n.Name(), data})
	}
	h.Completions = map[string][]byte{}
	for _, shell := range Shells {
		if h.Completions[shell], err = s.run(ctx, nil, program, "completion", shell); err != nil {
			return h, err
		}
	}
	return h, nil
}

// Metadata writes how registries and clients know this version into the directory metadata of out.
func (s Source) Metadata(ctx context.Context, out string) error {
	abs, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	_, err = s.run(ctx, nil, "go", "tool", "toolgen", "metadata", "--version", s.Version, "--out", abs)
	return err
}

func (s Source) epoch() []string {
	return []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(s.Time.Unix(), 10)}
}

// CommitTime returns the time of the last commit of a checkout.
func CommitTime(ctx context.Context, root string) (time.Time, error) {
	out, err := Source{Root: root}.run(ctx, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// run runs a program in the checkout and returns its output.
func (s Source) run(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.Root
	cmd.Env = append(os.Environ(), env...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, complaint.Bytes())
	}
	return out.Bytes(), nil
}
