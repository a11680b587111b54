//go:build manual

package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// addManual adds the command that writes manual pages. Packages have the pages; the program that they
// hold is built without the command, and links no converter of documents for it.
func addManual(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use: "manual DIRECTORY", Short: "Write a manual page per command", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root.InitDefaultCompletionCmd()
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Callsheet " + version, Manual: "Callsheet"}, args[0])
		},
	})
}
