package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/model"
)

func (a *app) clients() *cobra.Command {
	var language, pkg, out string
	cmd := &cobra.Command{
		Use:   "clients --lang LANGUAGE --out DIRECTORY",
		Short: "Write a typed client of the tools: in go, typescript or python",
		Long: `Write a typed client of the tools: in go, typescript or python.

"toolgen generate" writes those that the section clients of the root file lists, below generated/clients,
and "toolgen check" compares them. This command writes one into another directory, such as that of a
module of its own.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var names []string
			for _, l := range model.Languages() {
				names = append(names, string(l))
			}
			if !slices.Contains(names, language) {
				return unknownWord("language", language, names)
			}
			if out == "" {
				return errors.New("a directory is missing: --out DIRECTORY")
			}
			if ok, hint := model.ClientPackage(model.Language(language), pkg); pkg != "" && !ok {
				return fmt.Errorf("--package %q is no name: %s", pkg, hint)
			}
			return a.writeClient(model.Language(language), pkg, out)
		},
	}
	cmd.Flags().StringVar(&language, "lang", "", "the language: go, typescript or python")
	cmd.Flags().StringVar(&pkg, "package", "", "name of the package; that of the manifest when left out")
	cmd.Flags().StringVar(&out, "out", "", "where the files are written")
	return cmd
}

func (a *app) writeClient(l model.Language, pkg, out string) error {
	_, src, err := a.load()
	if err != nil {
		return err
	}
	files, diags, err := gen.Clients(src, l, pkg)
	if err != nil {
		return defectError{err}
	}
	if err := a.report(diags, src.Line); err != nil {
		return err
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
	fmt.Fprintf(a.stdout, "%s: %d files\n", out, len(files))
	return nil
}
