// Command toolgen compiles a module's manifest of tools into everything that depends on a tool's
// definition.
//
// It is a thin main: it parses flags, calls package gen, prints diagnostics and turns outcomes into
// exit codes. It must not know how anything is compiled. Exit codes: 0 done, 1 problems in the
// input, 2 wrong usage, 3 a defect of toolgen or a side of
// a comparison that cannot be read.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/settings"
	"github.com/callsheet/callsheet/gen/slicesx"
)

const (
	exitOK = iota
	exitInput
	exitUsage
	exitDefect

	exitSide = exitDefect // a side of a comparison cannot be read
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}

// errReported ends a command whose problems are printed already.
var errReported = errors.New("problems reported")

// inputError is a failure that is neither usage nor defect: a file that cannot be read, an output
// that is not ours.
type inputError struct{ error }

// defectError is a failure that a correct manifest must not cause.
type defectError struct{ error }

// run executes one command line and returns its exit code.
func run(args []string, stdout, stderr io.Writer, env func(string) string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "toolgen: internal error: %v; please report this\n%s", p, debug.Stack())
			code = exitDefect
		}
	}()
	root := newRoot(&app{stdout: stdout, stderr: stderr, env: env})
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	var input inputError
	var defect defectError
	var sideFailure sideError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitInput
	case errors.As(err, &sideFailure):
		fmt.Fprintf(stderr, "toolgen: %v\n", err)
		return exitSide
	case errors.As(err, &input):
		fmt.Fprintf(stderr, "toolgen: %v\n", err)
		return exitInput
	case errors.As(err, &defect):
		fmt.Fprintf(stderr, "toolgen: %v; please report this\n", err)
		return exitDefect
	}
	fmt.Fprintf(stderr, "toolgen: %v\nrun \"toolgen --help\" for usage\n", err)
	return exitUsage
}

// app is the streams, the environment and the global flags of all commands.
type app struct {
	stdout, stderr io.Writer
	env            func(string) string
	dir            string // -C
	manifest       string // --manifest; "" means every one
	format         string // --format
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "toolgen",
		Short:         "Compile manifest/ into everything that depends on a tool's definition",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a command is missing")
			}
			names := slicesx.Map(cmd.Commands(), func(c *cobra.Command) string { return c.Name() })
			return unknownWord("command", args[0], names)
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if !slices.Contains(diag.Formats(), a.format) {
				return unknownWord("format", a.format, diag.Formats())
			}
			return nil
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	flags := root.PersistentFlags()
	flags.StringVarP(&a.dir, "directory", "C", ".", "run in the module that holds this directory")
	flags.StringVar(&a.manifest, "manifest", "", "work on the manifest with this root file alone, of those in "+settings.File)
	flags.StringVar(&a.format, "format", string(diag.Text), "how to print problems: "+strings.Join(diag.Formats(), ", "))
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		a.initModule(), a.generate(), clean(a), a.check(), a.lint(), a.fix(), a.freeze(), a.promote(), a.breaking(), a.release(), a.metadata(),
		a.explain(), a.reference(), a.newTool(), a.importTools(), a.proxy())
	return root
}

// unknownWord is a usage error that offers the nearest valid word.
func unknownWord(what, got string, valid []string) error {
	message := fmt.Sprintf("unknown %s %q", what, got)
	if hint := diag.DidYouMean(got, valid); hint != "" {
		return errors.New(message + "; " + hint)
	}
	return fmt.Errorf("%s; there are %s", message, strings.Join(valid, ", "))
}

func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return unknownWord("flag", "--"+strings.TrimLeft(missing.GetSpecifiedName(), "-"), names)
}

// report prints the diagnostics, text to stderr and the machine's formats to stdout, and fails when
// one is an error.
func (a *app) report(diags diag.List, source diag.Source) error {
	out, format := a.stdout, diag.Format(a.format)
	if format == diag.Text {
		out = a.stderr
	}
	if err := diags.Fprint(out, format, source); err != nil {
		return inputError{fmt.Errorf("print the problems: %w", err)}
	}
	for _, d := range diags {
		if d.Rule == gen.RuleInternal {
			return defectError{errors.New(d.Message)}
		}
	}
	if !diags.HasErrors() {
		return nil
	}
	if format == diag.Text {
		fmt.Fprintf(a.stderr, "%s; \"toolgen explain RULE\" tells more%s\n", count(diags), fixable(diags))
	}
	return errReported
}

// fixable ends the report with the number of problems that "toolgen fix" mends.
func fixable(diags diag.List) string {
	n := 0
	for _, d := range diags {
		if d.Fix != nil {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", \"toolgen fix\" mends %d", n)
}

func count(diags diag.List) string {
	if len(diags) == 1 {
		return "1 problem"
	}
	return fmt.Sprintf("%d problems", len(diags))
}
