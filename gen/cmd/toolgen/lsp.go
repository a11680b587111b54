package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/lsp"
)

func (a *app) lsp() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: a language server for the manifest, on standard input and output",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := lsp.Serve(cmd.Context(), os.Stdin, a.stdout); err != nil {
				return inputError{err}
			}
			return nil
		},
	}
}
