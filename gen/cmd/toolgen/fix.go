package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/toolkit/textdiff"
)

func (a *app) fix() *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "fix [--dry-run]",
		Short: "Edit the manifest where a problem has one mend and no other, and print each edit",
		Long: "Edit the manifest where a problem has one mend and no other: a misspelt name with a single one that it can mean,\n" +
			"quotes that YAML needs. Comments and layout stay. The edits are printed as a diff, and then what is left.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			m, err := a.loadAll()
			if err != nil {
				return err
			}
			fixed, err := fixAll(&m)
			if err != nil {
				return defectError{err}
			}
			if !dry {
				for _, f := range fixed.Files {
					if err := output.Replace(filepath.Join(m.root, filepath.FromSlash(f.Name)), f.Now); err != nil {
						return inputError{err}
					}
				}
			}
			if a.format == string(diag.JSON) {
				return a.fixes(fixed)
			}
			if a.format == string(diag.Text) {
				a.edits(fixed.Files)
			}
			return a.report(fixed.Left, m.line)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print the edits and make none")
	return cmd
}

// fixAll fixes each manifest, and leaves the sources as they are afterwards.
func fixAll(m *loaded) (gen.Fixed, error) {
	all := gen.Fixed{Left: m.diags}
	for i, src := range m.sources {
		fixed, err := gen.Fix(src)
		if err != nil {
			return gen.Fixed{}, err
		}
		m.sources[i] = fixed.Source
		all.Files = append(all.Files, fixed.Files...)
		all.Made = append(all.Made, fixed.Made...)
		all.Left = append(all.Left, fixed.Left...)
	}
	all.Left = all.Left.Sorted()
	return all, nil
}

// edits prints what has changed in each file.
func (a *app) edits(files []gen.Edited) {
	for _, f := range files {
		fmt.Fprintf(a.stdout, "--- %s\n+++ %s\n%s\n", f.Name, f.Name, textdiff.Unified(string(f.Was), string(f.Now)))
	}
	if len(files) == 0 {
		fmt.Fprintln(a.stdout, "nothing to fix for certain")
	}
}

// fixes prints the problems that are mended, with their edits, and those that are left, as JSON.
func (a *app) fixes(fixed gen.Fixed) error {
	list := func(l diag.List) diag.List { return append(diag.List{}, l...) } // [] where there is none
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(struct {
		Made diag.List `json:"made"`
		Left diag.List `json:"left"`
	}{list(fixed.Made), list(fixed.Left)}); err != nil {
		return inputError{fmt.Errorf("print the fixes: %w", err)}
	}
	if fixed.Left.HasErrors() {
		return errReported
	}
	return nil
}
