// Command callsheet-site writes, compiles and checks sites, and makes tools of recordings and archives. It links the
// compiler, which the server does not: callsheet finds this program beside itself and runs it as "callsheet site".
package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/manual"
	"github.com/callsheet/callsheet/internal/site/compile"
)

// version is set by the linker: -X main.version=….
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	p := program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(p.run(ctx, os.Args[1:]))
}

// program is the command line with what it takes from its process.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// displayed is the name of the program in help: who runs it has usually typed that.
const displayed = "callsheet site"

// run runs one command line and returns the exit code.
func (p program) run(ctx context.Context, args []string) int {
	root := p.command()
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	ran, err := root.ExecuteContextC(ctx)
	return exit.Code(ctx, p.stderr, err, strings.Replace(ran.CommandPath(), displayed, "callsheet help site", 1))
}

func (p program) command() *cobra.Command {
	root := &cobra.Command{
		Use: "callsheet-site", Short: "Make a web site's tasks into tools: write, compile and check them", Version: version,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: displayed},
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := (options.Source{Build: build}).Apply(cmd.Flags()); err != nil {
				return exit.Misuse(err)
			}
			return nil
		},
	}
	root.SetVersionTemplate("callsheet-site {{.Version}}\n")
	root.SetFlagErrorFunc(exit.ExplainFlag)
	root.AddCommand(p.newCommand(), p.compileCommand(), p.recordCommand(), p.importCommand(), p.checkCommand())
	manual.Add(root, version)
	exit.RefuseUnknown(root)
	return root
}

// build returns the server that flags describe.
func build(cfg options.Config, log *slog.Logger) (*app.App, error) {
	out := cfg.AppConfig(log)
	out.Version = version
	return app.New(out)
}

// withBuiltin calls f with the tools that steps may call. The app behind them has started nothing.
func withBuiltin(f func(compile.Options) error) error {
	built, err := build(options.Config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(f(compile.Options{Builtin: built.Surface.Registry()}), options.Close(built))
}
