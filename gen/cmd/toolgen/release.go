package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/spec"
)

func (a *app) release() *cobra.Command {
	var who, why string
	cmd := &cobra.Command{
		Use:   "release VERSION",
		Short: "Record what the frozen scopes are now as a release: write " + gen.ReleasedFile + ", and sign it in " + gen.LockFile,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, src, err := a.load()
			if err != nil {
				return err
			}
			if tag := tagOf(cmd, root, args[0]); tag != "" && src.Released != nil {
				return fmt.Errorf("%s is out: git has the tag %s; what it promised stands in %s, so record another version", args[0], tag, src.ReleasedFile())
			}
			if cmd.Flags().Changed("why") {
				if err := freezeNow(a, cmd, why, who); err != nil {
					return err
				}
				if root, src, err = a.load(); err != nil {
					return err
				}
			}
			when, err := a.now()
			if err != nil {
				return err
			}
			out, diags, err := gen.Release(src, args[0], scope.Entry{Who: a.author(who), When: when})
			if err != nil {
				return defectError{err}
			}
			if err := a.report(diags, src.Line); err != nil {
				return err
			}
			if err := replaceAll(root, output.File{Path: src.ReleasedFile(), Data: out.Record}, output.File{Path: src.LockFile(), Data: out.Lock}); err != nil {
				return err
			}
			if src.Allowances != nil {
				fmt.Fprintf(a.stdout, "the allowances of %s are spent; delete them\n", src.AllowancesFile())
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&why, "why", "", "freeze first, for this reason of three words or more")
	cmd.Flags().StringVar(&who, "who", "", "who releases it (default $GIT_AUTHOR_NAME, then $USER)")
	return cmd
}

// replaceAll writes the files that have data.
func replaceAll(root string, files ...output.File) error {
	for _, f := range files {
		if f.Data == nil {
			continue
		}
		if err := output.Replace(filepath.Join(root, filepath.FromSlash(f.Path)), f.Data); err != nil {
			return inputError{err}
		}
	}
	return nil
}

// tagOf returns the git tag of a version; "" when it has none, or when git is missing. A version may be
// recorded again until it is tagged: afterwards its record is a promise to clients, and a new record would
// hide each change that breaks it.
func tagOf(cmd *cobra.Command, root, version string) string {
	for _, tag := range []string{"v" + strings.TrimPrefix(version, "v"), version} {
		if exec.CommandContext(cmd.Context(), "git", "-C", root, "rev-parse", "--quiet", "--verify", "refs/tags/"+tag).Run() == nil {
			return tag
		}
	}
	return ""
}

// changes prints the report: allowed changes with their reasons, then what is wrong as everywhere.
// As JSON it is one list of all changes, for release notes.
func (a *app) changes(changes []breaking.Change, diags diag.List, source diag.Source) error {
	if a.format == string(diag.JSON) {
		if changes == nil {
			changes = []breaking.Change{}
		}
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(changes); err != nil {
			return inputError{fmt.Errorf("print the changes: %w", err)}
		}
		if diags.HasErrors() {
			return errReported
		}
		return nil
	}
	for _, c := range changes {
		if c.Allowed != "" {
			fmt.Fprintf(a.stdout, "allowed: %s [%s]: %s\n", c.Message, c.Rule, c.Allowed)
		}
	}
	if len(changes) == 0 {
		fmt.Fprintln(a.stdout, "no breaking change")
	}
	return a.report(diags, source)
}

// surfaceAt returns the surface of a recorded release, or of the manifest at a git ref.
func surfaceAt(cmd *cobra.Command, root string, now gen.Source, against string) (breaking.Surface, error) {
	if data, err := os.ReadFile(against); err == nil {
		return breaking.Decode(data)
	}
	src, err := sourceAt(cmd, root, now, against)
	if err != nil {
		return breaking.Surface{}, err
	}
	set, diags := gen.Lint(src)
	if set == nil {
		return breaking.Surface{}, fmt.Errorf("read the manifest at %s: %s", against, diags[0].Message)
	}
	return breaking.Record(set, against), nil
}

// sourceAt is the manifest at a git ref.
func sourceAt(cmd *cobra.Command, root string, now gen.Source, against string) (gen.Source, error) {
	if strings.HasPrefix(against, "-") {
		return gen.Source{}, fmt.Errorf("compare with %q: that is neither a file nor a git ref", against)
	}
	git := exec.CommandContext(cmd.Context(), "git", "-C", root, "archive", "--format=tar", against, path.Dir(now.RootFile()))
	var stderr bytes.Buffer
	git.Stderr = &stderr
	out, err := git.Output()
	if err != nil {
		return gen.Source{}, fmt.Errorf("compare with %q: no such file, and git says: %s", against, strings.TrimSpace(stderr.String()))
	}
	src := gen.Source{Module: now.Module, Layout: now.Layout}
	for archive := tar.NewReader(bytes.NewReader(out)); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return gen.Source{}, fmt.Errorf("read the manifest at %s: %w", against, err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return gen.Source{}, fmt.Errorf("read the manifest at %s: %w", against, err)
		}
		if h.Typeflag == tar.TypeReg {
			src.Add(spec.File{Name: h.Name, Data: data})
		}
	}
	return src, nil
}
