package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/promote"
	"github.com/callsheet/callsheet/gen/spec"
)

func (a *app) promote() *cobra.Command {
	var who string
	cmd := &cobra.Command{
		Use:   "promote TOOL",
		Short: "List what a deferred tool still lacks to be live, begin its threat model, and run its tests",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, src, err := a.load()
			if err != nil {
				return err
			}
			tool, diags := gen.Promotion(src, args[0])
			if tool == nil && !diags.HasErrors() {
				return fmt.Errorf("unknown tool %q", args[0])
			}
			if tool != nil {
				if err := a.beginThreatModel(root, src, tool, who); err != nil {
					return err
				}
			}
			if !diags.HasErrors() {
				if src.Results, err = a.runTests(cmd, root, gen.PromotionTests(src, args[0])); err != nil {
					return inputError{err}
				}
				_, diags = gen.Promotion(src, args[0])
			}
			if err := a.report(diags, src.Line); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%s may be promoted: go tool toolgen freeze --why \"…\"\n", args[0])
			return nil
		},
	}
	cmd.Flags().StringVar(&who, "who", "", "who writes the threat model (default $GIT_AUTHOR_NAME, then $USER)")
	return cmd
}

// beginThreatModel writes the template of a tool's threat model unless there is one.
func (a *app) beginThreatModel(root string, src gen.Source, tool *model.Tool, who string) error {
	file := filepath.Join(root, filepath.FromSlash(src.ThreatModel(tool.Name)))
	if _, err := os.Lstat(file); !os.IsNotExist(err) {
		return nil
	}
	when, err := a.now()
	if err != nil {
		return err
	}
	var surfaces []string
	if set, _ := gen.Lint(src); set != nil {
		surfaces = set.SurfaceNames()
	}
	if err := output.Replace(file, promote.Template(tool, surfaces, a.author(who), when)); err != nil {
		return inputError{err}
	}
	fmt.Fprintf(a.stdout, "%s: began the threat model\n", src.ThreatModel(tool.Name))
	return nil
}

// runTests runs tests of the module, by directory, and returns the log of "go test -json"; nil when
// there are none. A test that fails, or does not compile, shows in the log.
func (a *app) runTests(cmd *cobra.Command, root string, tests map[string][]string) (*spec.File, error) {
	if len(tests) == 0 {
		return nil, nil
	}
	var log bytes.Buffer
	for _, dir := range slices.Sorted(maps.Keys(tests)) {
		run := exec.CommandContext(cmd.Context(), "go", "test", "-json", "-count=1", "-run", "^("+strings.Join(tests[dir], "|")+")$", "./"+dir)
		run.Dir, run.Stdout, run.Stderr = root, &log, a.stderr
		var failed *exec.ExitError
		if err := run.Run(); err != nil && !errors.As(err, &failed) {
			return nil, fmt.Errorf("run the tests of promoted tools: %w", err)
		}
	}
	return &spec.File{Name: "go test -json", Data: log.Bytes()}, nil
}
