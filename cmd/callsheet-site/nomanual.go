//go:build !manual

package main

import "github.com/spf13/cobra"

// addManual adds nothing; manual.go has the command.
func addManual(*cobra.Command) {}
