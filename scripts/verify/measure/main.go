// Command measure prints the sizes of the repository beside their limits, and fails beyond one. It must not judge what the
// code does; internal/repotest holds the rules about single files and functions.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/repotest"
)

// The most that each figure may be.
const (
	maxLines        = 186_800 // to be lowered with the figure; the aim is 160,000
	maxPackageLines = 6_000
	maxMethods      = 45
	maxDecisions    = 45
	maxPages        = 28
	maxReadmeLines  = 160
	maxRootEntries  = 22
)

// From these sizes on a package or a type is listed by name.
const (
	largePackage = 3_000
	largeType    = 35
)

func main() {
	tree := flag.Bool("tree", false, "print the lines by directory")
	only := flag.Bool("report", false, "print the figures and do not fail")
	flag.Parse()
	if err := run(context.Background(), *tree); err != nil {
		if *only && errors.Is(err, errTooLarge) {
			return
		}
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, tree bool) error {
	files, err := git(ctx, "ls-files")
	if err != nil {
		return err
	}
	root, err := git(ctx, "ls-tree", "--name-only", "HEAD")
	if err != nil {
		return err
	}
	repository, err := repotest.Load(ctx, ".")
	if err != nil {
		return err
	}
	code, err := measureCode(repository, slices.DeleteFunc(slices.Clone(files), isNotHandWritten))
	if err != nil {
		return err
	}
	readme, err := lines("README.md")
	if err != nil {
		return err
	}
	upward, unlisted := repotest.UpwardImports(repository.Packages)
	if tree {
		printTree(code.byPackage)
	}
	largest, most := code.byPackage.largest(), code.methods.largest()
	return report(
		figure{"hand-written Go lines", code.byPackage.total(), maxLines, nil},
		figure{"lines of the largest package", largest.n, maxPackageLines, code.byPackage.from(largePackage)},
		figure{"methods of the largest type", most.n, maxMethods, code.methods.from(largeType)},
		figure{"upward imports inside internal/engine", len(upward) + len(unlisted), 0, slices.Concat(upward, unlisted)},
		figure{"decisions in docs/adr", count(files, regexp.MustCompile(`^docs/adr/0[^/]*\.md$`)), maxDecisions, nil},
		figure{"pages of docs", count(files, regexp.MustCompile(`^docs/.*\.md$`)) - count(files, regexp.MustCompile(`^docs/adr/`)), maxPages, nil},
		figure{"lines of README.md", readme, maxReadmeLines, nil},
		figure{"entries at the root", len(root), maxRootEntries, nil},
	)
}

// errTooLarge is in the error of each figure beyond its limit.
var errTooLarge = errors.New("is beyond the limit")

// figure is a size, its limit, and what of it is worth a line.
type figure struct {
	name    string
	n, most int
	details []string
}

func report(figures ...figure) error {
	var errs []error
	for _, f := range figures {
		verdict := "ok"
		if f.n > f.most {
			verdict = "too many"
			errs = append(errs, fmt.Errorf("%s: %d %w of %d", f.name, f.n, errTooLarge, f.most))
		}
		fmt.Printf("%-38s %7d  of at most %7d  %s\n", f.name, f.n, f.most, verdict)
		for _, d := range f.details {
			fmt.Printf("    %s\n", d)
		}
	}
	return errors.Join(errs...)
}

var (
	notHandWritten = regexp.MustCompile(`_test\.go$|(^|/)(generated|testdata|node_modules)/`)
	generatedFile  = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// isNotHandWritten reports whether a path is of no Go file, of a test, or below a directory of generated or foreign code.
func isNotHandWritten(file string) bool {
	return path.Ext(file) != ".go" || notHandWritten.MatchString(file)
}

// code is the size of hand-written Go code: lines by directory, methods by type.
type code struct{ byPackage, methods sizes }

func measureCode(repository *repotest.Tree, files []string) (code, error) {
	out := code{sizes{}, sizes{}}
	seen := map[string]bool{} // methods, which may have a file for each system
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) || generatedFile.Match(text) {
			continue
		}
		if err != nil {
			return code{}, err
		}
		out.byPackage[path.Dir(file)] += bytes.Count(text, []byte("\n"))
		parsed, err := repository.Parse(file)
		if err != nil {
			return code{}, err
		}
		for _, m := range methods(parsed) {
			typ := path.Dir(file) + "." + m.receiver
			if name := typ + "." + m.name; !seen[name] {
				seen[name] = true
				out.methods[typ]++
			}
		}
	}
	return out, nil
}

func count(files []string, pattern *regexp.Regexp) (n int) {
	for _, file := range files {
		if _, err := os.Stat(file); err == nil && pattern.MatchString(file) {
			n++
		}
	}
	return n
}

func lines(file string) (int, error) {
	text, err := os.ReadFile(file)
	return bytes.Count(text, []byte("\n")), err
}

// git returns the lines that a command of git prints.
func git(ctx context.Context, args ...string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}
