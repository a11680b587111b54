package main

import (
	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/reference"
)

func (a *app) reference() *cobra.Command {
	return &cobra.Command{
		Use:   "reference",
		Short: "Print the reference of the manifest: every key with its rules and an example",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			page, err := reference.Markdown()
			if err != nil {
				return defectError{err}
			}
			_, err = a.stdout.Write(page)
			return err
		},
	}
}
