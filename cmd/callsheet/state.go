package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/text"
)

// stateKind is a kind of files in the state directory: entries that have one of the names, or begin with it and "-".
type stateKind struct {
	name, limit string
	entries     []string
}

// stateKinds are the kinds; the last is everything else.
func stateKinds() []stateKind {
	return []stateKind{
		{"artifacts", text.Bytes(int64(artifact.DefaultLimit)) + ", the oldest go first", []string{"artifacts"}},
		{"output", "none", []string{"output"}},
		{"journal and recordings", "10,000 calls, 1,000 recordings", []string{"callsheet.db"}},
		{"jobs", "two weeks after their end", []string{"jobs.db"}},
		{"logins", "none", []string{"sessions", "contexts", "totp.sealed"}},
		{"other", "none", nil},
	}
}

// stateCommand shows the size of the state directory and makes it smaller.
func (p program) stateCommand() *cobra.Command {
	var dir string
	var age time.Duration
	var dry bool
	kept := func(run func(io.Writer, statedir.Dir) error) func(*cobra.Command, []string) error {
		return func(*cobra.Command, []string) error {
			at, err := stateAt(dir)
			if err != nil {
				return err
			}
			return run(p.stdout, at)
		}
	}
	cmd := &cobra.Command{Use: "state", Short: "Show what the state directory holds, and remove old files of it"}
	cmd.PersistentFlags().StringVar(&dir, "state-dir", "", "the state `DIR`ectory (default callsheet in the user's state directory)")
	prune := &cobra.Command{
		Use: "prune", Short: "Remove old artifacts, and old files of the output directory", Args: noArguments,
		Long:    "Remove artifacts and files of the output directory. Logins, recordings, jobs and baselines stay. A server may run meanwhile.",
		Example: "  callsheet state prune --older-than 168h --dry-run", RunE: kept(func(out io.Writer, at statedir.Dir) error { return pruneState(out, at, time.Now().Add(-age), dry) }),
	}
	prune.Flags().DurationVar(&age, "older-than", 30*24*time.Hour, "remove what is older than this `TIME`")
	prune.Flags().BoolVar(&dry, "dry-run", false, "say what would be removed, and remove nothing")
	cmd.AddCommand(&cobra.Command{Use: "du", Short: "Show the size of each kind of files with its limit", Args: noArguments, RunE: kept(showState)}, prune)
	return cmd
}

// showState prints a table of the kinds.
func showState(out io.Writer, at statedir.Dir) error {
	kinds := stateKinds()
	sizes, files := make([]int64, len(kinds)), make([]int, len(kinds))
	var total int64
	err := walkFiles(at.Path(), func(path string, info fs.FileInfo) error {
		rel, _ := filepath.Rel(at.Path(), path) // it is below
		first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		i := slices.IndexFunc(kinds, func(k stateKind) bool {
			return k.entries == nil || slices.ContainsFunc(k.entries, func(name string) bool { return first == name || strings.HasPrefix(first, name+"-") })
		})
		sizes[i] += info.Size()
		files[i]++
		total += info.Size()
		return nil
	})
	if err != nil {
		return err
	}
	var rows [][]string
	for i, k := range kinds {
		rows = append(rows, []string{k.name, fmt.Sprint(files[i]), text.Bytes(sizes[i]), k.limit})
	}
	if err := terminal.New(out).Table([]string{"kind", "files", "size", "limit"}, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s in %s\n", text.Bytes(total), at.Path())
	return err
}

// pruneState removes the artifacts that were made before a time, and the files of the output directory that were
// last written before it.
func pruneState(out io.Writer, at statedir.Dir, before time.Time, dry bool) error {
	count, bytes, err := artifact.New(at, 0).Prune(before, dry)
	if err != nil {
		return err
	}
	err = walkFiles(at.Path("output"), func(path string, info fs.FileInfo) error {
		if !info.ModTime().Before(before) {
			return nil
		}
		count++
		bytes += info.Size()
		if dry {
			return nil
		}
		return os.Remove(path)
	})
	if err != nil {
		return err
	}
	done := "removed"
	if dry {
		done = "would remove"
	}
	_, err = fmt.Fprintf(out, "%s %d files, %s\n", done, count, text.Bytes(bytes))
	return err
}

// walkFiles calls fn with each regular file below a directory. What disappears meanwhile, and a directory that is not
// there, are no errors.
func walkFiles(dir string, fn func(path string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				err = fn(path, info)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}
