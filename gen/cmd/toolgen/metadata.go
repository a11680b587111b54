package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
)

// semantic is the form of a version that registries and package managers take.
var semantic = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

func (a *app) metadata() *cobra.Command {
	var version, out string
	cmd := &cobra.Command{
		Use:   "metadata --version VERSION --out DIRECTORY",
		Short: "Describe a version of the server to registries, package managers and clients",
		Long: `Describe a version of the server to registries, package managers and clients.

"toolgen generate" writes the same files for the last release. This command writes those of a version
that is about to be released, into another directory.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !semantic.MatchString(version) {
				return fmt.Errorf("--version %q is no semantic version, as 1.2.3 is", version)
			}
			if out == "" {
				return errors.New("a directory is missing: --out DIRECTORY")
			}
			_, src, err := a.load()
			if err != nil {
				return err
			}
			files, diags, err := gen.Metadata(src, version)
			if err != nil {
				return defectError{err}
			}
			if err := a.report(diags, src.Line); err != nil {
				return err
			}
			if len(files) == 0 {
				return inputError{fmt.Errorf("%s has no section server, which says what to write", src.RootFile())}
			}
			for _, f := range files {
				full := filepath.Join(out, filepath.FromSlash(f.Path))
				if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
					return inputError{err}
				}
				if err := os.WriteFile(full, f.Data, 0o644); err != nil {
					return inputError{err}
				}
			}
			fmt.Fprintf(a.stdout, "%s: %d files\n", filepath.Join(out, "metadata"), len(files))
			return nil
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "the version to describe")
	cmd.Flags().StringVar(&out, "out", "", "where the directory metadata is written")
	return cmd
}
