//go:build !manual

// Package manual adds the command that writes manual pages. It must not know the commands.
package manual

import "github.com/spf13/cobra"

// Add adds nothing; manual.go has the command.
func Add(*cobra.Command, string) {}
