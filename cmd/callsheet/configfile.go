package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/configfile"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
)

// settings returns the source of the flags that the command line leaves open.
func (p program) settings() options.Source { return options.Source{Token: p.token, Build: p.build} }

// applyConfig sets the flags of a command that the command line leaves open.
func (p program) applyConfig(cmd *cobra.Command) error {
	if err := p.settings().Apply(cmd.Flags()); err != nil {
		return exit.Misuse(err)
	}
	return nil
}

// configVerbs are the commands about the configuration file.
type configVerbs struct{ program }

// configCommand prints, shows and checks the configuration file.
func (p program) configCommand() *cobra.Command {
	v := configVerbs{p}
	root := &cobra.Command{
		Use: "config", Short: "Write, show and check the file of settings",
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // show and check report what serving refuses
	}
	root.AddCommand(v.initCommand(), v.showCommand(), v.checkCommand(), v.schemaCommand())
	return root
}

func (v configVerbs) initCommand() *cobra.Command {
	var write bool
	cmd := &cobra.Command{Use: "init", Short: "Print a file with every setting, each commented out", Args: noArguments}
	cmd.RunE = func(*cobra.Command, []string) error {
		text := configfile.Example(options.Settings())
		if !write {
			_, err := io.WriteString(v.stdout, text)
			return err
		}
		path, err := configfile.DefaultPath()
		if err != nil {
			return err
		}
		if err := configfile.Create(path, text); err != nil {
			return exit.Misuse(err)
		}
		return v.printLine("%s", path)
	}
	cmd.Flags().BoolVar(&write, "write", false, "write it to its place unless there is one, and print the path")
	return cmd
}

func (v configVerbs) showCommand() *cobra.Command {
	cfg := config{AuthToken: v.token}
	var asJSON, all bool
	cmd := &cobra.Command{
		Use: "show", Short: "Show the settings of a server with these flags, and the source of each", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sources, err := v.settings().Settle(cmd.Flags())
			if err != nil {
				return exit.Misuse(err)
			}
			return v.show(cmd.Flags(), sources, asJSON, all)
		},
	}
	cfg.Flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON, with every default")
	cmd.Flags().BoolVar(&all, "all", false, "show the defaults too")
	return cmd
}

// show prints the settings in the order of the flags.
func (v configVerbs) show(f *pflag.FlagSet, sources map[string]configfile.Source, asJSON, all bool) error {
	type row struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		Source string `json:"source"`
	}
	var rows []row
	names := configfile.Names(options.Settings())
	f.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(names, flag.Name) || !asJSON && !all && sources[flag.Name].Kind == configfile.FromDefault {
			return
		}
		value := flag.Value.String()
		if configfile.IsList(flag) {
			value = strings.Trim(value, "[]")
		}
		if flag.Annotations[configfile.SecretAnnotation] != nil && value != "" {
			value = "(hidden)"
		}
		rows = append(rows, row{flag.Name, value, sources[flag.Name].String()})
	})
	if asJSON {
		enc := json.NewEncoder(v.stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(map[string]any{"settings": rows})
	}
	screen := terminal.New(v.stdout)
	if len(rows) == 0 {
		return screen.Line("every setting has its default; callsheet config show --all lists them")
	}
	cells := slicesx.List(rows, func(r row) []string { return []string{r.Name, r.Value, r.Source} })
	return screen.Table([]string{"setting", "value", "source"}, cells)
}

func (v configVerbs) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "check [FILE]", Short: "Find the mistakes of a configuration file, in each of its profiles", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := cmd.Flags().Set(options.FlagConfig, args[0]); err != nil {
					return err
				}
			}
			path, _, err := options.FilePath(cmd.Flags())
			if err != nil {
				return exit.Misuse(err)
			}
			file, err := configfile.Load(path, true, options.Settings)
			if err != nil {
				return exit.Misuse(err)
			}
			if err := v.settings().CheckProfiles(file); err != nil {
				return err
			}
			if !file.Diags.HasErrors() {
				file.Try(v.try)
			}
			if err := file.Diags.Sorted().Fprint(v.stdout, "text", file.Source); err != nil {
				return err
			}
			if file.Diags.HasErrors() {
				return exit.RefusedError{}
			}
			return v.printLine("%s is a valid configuration", path)
		},
	}
	options.FileFlags(cmd.Flags())
	return cmd
}

// try checks the settings of one profile as a server would, without starting anything.
func (v configVerbs) try(file *configfile.File, profile string) error {
	var cfg config
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	cfg.Flags(f)
	if profile != "" {
		if err := f.Set("profile", profile); err != nil {
			return err
		}
	}
	none := func(string) (string, bool) { return "", false }
	if _, err := configfile.Apply(f, file, options.Settings, none); err != nil {
		return err
	}
	if err := cfg.Validate(f); err != nil {
		return err
	}
	built, err := v.build(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return options.Close(built)
}

func (v configVerbs) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the file, for editors", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			text, err := configfile.Schema(options.Settings())
			if err != nil {
				return err
			}
			_, err = v.stdout.Write(text)
			return err
		},
	}
}
