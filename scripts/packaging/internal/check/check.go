// Package check holds the files of a release against each other: one version, one program per target,
// one list of tools, and the checksums. It reads what users get and knows nothing of how it was made.
package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/scripts/packaging/internal/release"
	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

// Report is the result of a check of a release: counts of what was checked, and the problems.
type Report struct {
	Version    string
	Statements int      // versions that files state
	Programs   int      // copies of the programs
	Started    []string // what was started, with the way to it
	ToolsBytes int      // of the answer to tools/list
	Problems   []string
}

func (r *Report) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// copyOf is a copy of a program in an artifact.
type copyOf struct {
	artifact string
	file     string
	kind
}

// kind is a program for a target.
type kind struct {
	program string
	target  target.Target
}

// Directory checks the release in a directory. Programs of this machine's target are started.
func Directory(ctx context.Context, dir string) (r Report, err error) {
	scratch, err := os.MkdirTemp("", "callsheet-check-*")
	if err != nil {
		return r, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	var names []string
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, file)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		return r, err
	}
	var stated []statement
	var copies []copyOf
	for _, name := range names {
		if err := examine(dir, name, scratch, &stated, &copies); err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
	}
	r.sums(dir, names)
	r.versions(stated)
	r.programs(copies)
	r.digests(dir, scratch)
	return r, r.start(ctx, scratch, copies)
}

// examine reads one file of the release, and the files in it where it is an archive.
func examine(dir, name, scratch string, stated *[]statement, copies *[]copyOf) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	found, err := states(file, name)
	if err != nil {
		return err
	}
	*stated = append(*stated, found...)
	for _, t := range target.All() {
		for program, binary := range map[string]string{target.Program: t.Binary(), target.SiteProgram: t.SiteBinary()} {
			if name == binary {
				*copies = append(*copies, copyOf{name, file, kind{program, t}})
			}
		}
	}
	into := filepath.Join(scratch, filepath.Base(name))
	if ok, err := unpack(file, into); err != nil || !ok {
		return err
	}
	t, ofTarget := targetOf(name)
	return filepath.WalkDir(into, func(inner string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(into, inner)
		found, err := states(inner, name+": "+filepath.ToSlash(rel))
		*stated = append(*stated, found...)
		for program, executable := range map[string]string{target.Program: t.Executable(), target.SiteProgram: t.SiteExecutable()} {
			if ofTarget && d.Name() == executable && isProgram(inner) {
				*copies = append(*copies, copyOf{name, inner, kind{program, t}})
			}
		}
		return err
	})
}

// smallestProgram is below the size of any build and above that of any other file of its name, in bytes.
const smallestProgram = 5 << 20

func isProgram(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Size() > smallestProgram
}

// targetOf reads the target in the name of an artifact, whose words are Go's, npm's or Debian's.
func targetOf(name string) (target.Target, bool) {
	base := filepath.Base(name)
	for _, t := range target.All() {
		words := []string{"-" + t.String() + ".", "callsheet-" + t.NodeOS() + "-" + t.NodeArch() + "-"}
		if t.OS == "linux" {
			words = append(words, "_"+t.Arch+".deb")
		}
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(base, w) }) {
			return t, true
		}
	}
	return target.Target{}, false
}

// sums compares SHA256SUMS with the files.
func (r *Report) sums(dir string, names []string) {
	text, err := os.ReadFile(filepath.Join(dir, release.ChecksumFile))
	if err != nil {
		r.problem("%s: %v", release.ChecksumFile, err)
		return
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = sum
	}
	for _, name := range names {
		if name == release.ChecksumFile {
			continue
		}
		if have := digest(filepath.Join(dir, name)); listed[name] != have {
			r.problem("%s: %s says %q, its SHA-256 is %s", name, release.ChecksumFile, listed[name], have)
		}
		delete(listed, name)
	}
	for name := range listed {
		r.problem("%s lists %s, which is missing", release.ChecksumFile, name)
	}
}

// versions compares every version that a file states with that of the registry's entry.
func (r *Report) versions(stated []statement) {
	r.Statements = len(stated)
	for _, s := range stated {
		if s.where == release.MetadataDir+"/server.json" {
			r.Version = s.version
		}
	}
	for _, s := range stated {
		if s.version != r.Version {
			r.problem("%s says version %q, server.json says %q", s.where, s.version, r.Version)
		}
	}
}

// programs compares the copies of each target's programs, and looks for artifacts that lack one of the two.
func (r *Report) programs(copies []copyOf) {
	r.Programs = len(copies)
	first := map[kind]string{}
	has := map[string]int{}
	for _, c := range copies {
		sum := digest(c.file)
		if want, ok := first[c.kind]; ok && want != sum {
			r.problem("%s has another %s for %s than the other artifacts", c.artifact, c.program, c.target)
		} else {
			first[c.kind] = sum
		}
		if versioned(c.artifact) {
			has[c.artifact]++
		}
	}
	for _, artifact := range slices.Sorted(maps.Keys(has)) {
		if has[artifact] != 2 {
			r.problem("%s lacks %s or %s", artifact, target.Program, target.SiteProgram)
		}
	}
}

var sha256Text = regexp.MustCompile(`"(?:sha256|siteSha256|fileSha256)": "([0-9a-f]*)"`)

// digests looks for the files whose digests package.json and server.json state.
func (r *Report) digests(dir, scratch string) {
	have := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(dir, "callsheet*"))
	for _, f := range files {
		have[digest(f)] = true
	}
	stating := []string{filepath.Join(dir, release.MetadataDir, "server.json")}
	packages, _ := filepath.Glob(filepath.Join(scratch, "callsheet-*.tgz", "package", "package.json"))
	for _, file := range append(stating, packages...) {
		text, err := os.ReadFile(file)
		if err != nil {
			r.problem("%v", err)
		}
		for _, m := range sha256Text.FindAllSubmatch(text, -1) {
			if !have[string(m[1])] {
				r.problem("%s states the SHA-256 %s, which no file of the release has", filepath.Base(file), m[1])
			}
		}
	}
}

func digest(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
