//go:build manual

// Package manual adds the command that writes manual pages. It must not know the commands.
package manual

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Add adds the command that writes manual pages of a version. Packages have the pages; the program that they
// hold is built without the command, and links no converter of documents for it.
func Add(root *cobra.Command, version string) {
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
