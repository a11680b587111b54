package main

import (
	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/reference"
	"github.com/callsheet/callsheet/gen/toolkit/paramschema"
)

func (a *app) reference() *cobra.Command {
	var asSchema bool
	cmd := &cobra.Command{
		Use:   "reference",
		Short: "Print the reference of the manifest: every key with its rules and an example",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asSchema {
				_, err := a.stdout.Write(paramschema.Indented(schema.Manifest()))
				return err
			}
			page, err := reference.Markdown()
			if err != nil {
				return defectError{err}
			}
			_, err = a.stdout.Write(page)
			return err
		},
	}
	cmd.Flags().BoolVar(&asSchema, "schema", false, "print the JSON Schema of the manifest instead, for editors")
	return cmd
}
