package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/cli/configfile"
	"github.com/callsheet/callsheet/internal/cli/terminal"
)

// The flag and the variable that name the configuration file. An empty flag reads none.
const (
	flagConfig     = "config"
	configVariable = "CALLSHEET_CONFIG"
)

// sourceAnnotation is the annotation of a flag with the source of its value, where that is not the
// command line.
const sourceAnnotation = "callsheet_source"

// configFlags adds the flags that choose the configuration file and its profile.
func configFlags(f *pflag.FlagSet) {
	f.String(flagConfig, "", "take the settings of this `FILE` (default callsheet/callsheet.yaml in the user's configuration directory); "+
		configVariable+` sets it too, and "" reads none`)
	if f.Lookup("profile") == nil {
		f.String("profile", "", "take the settings of this profile `NAME` of the configuration file")
	}
	for _, name := range []string{"user-data-dir", "output-dir", "file-root", "state-dir", "storage-state", "save-storage-state", "policy", "secrets", "workflows", "site"} {
		annotate(f, name, configfile.PathAnnotation)
	}
	for _, name := range []string{"browser", "attach"} {
		annotate(f, name, configfile.PathAnnotation, configfile.ProgramPath)
	}
	annotate(f, "auth-token", configfile.SecretAnnotation)
	annotate(f, "database-url", configfile.SecretAnnotation)
}

// annotate marks a flag if the set has it.
func annotate(f *pflag.FlagSet, name, key string, values ...string) {
	if f.Lookup(name) != nil {
		_ = f.SetAnnotation(name, key, append([]string{}, values...)) // the flag exists
	}
}

// settings returns every flag that a configuration file may set, unset.
func settings() *pflag.FlagSet {
	var c config
	f := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	c.flags(f)
	return f
}

// configPath returns the path of the configuration file, and whether someone named it. "" is none.
func configPath(f *pflag.FlagSet) (path string, named bool, err error) {
	if flag := f.Lookup(flagConfig); flag != nil && flag.Changed {
		return flag.Value.String(), true, nil
	}
	if path, ok := os.LookupEnv(configVariable); ok {
		if path != "" && !filepath.IsAbs(path) {
			return "", true, fmt.Errorf("%s: the path must be absolute, as processes start in several directories", configVariable)
		}
		return path, true, nil
	}
	path, err = configfile.DefaultPath()
	if err != nil {
		return "", false, nil //nolint:nilerr // a user without a home has no file
	}
	return path, false, nil
}

// loadConfig reads the configuration file that the flags choose; nil when there is none.
func (p program) loadConfig(f *pflag.FlagSet) (*configfile.File, error) {
	path, named, err := configPath(f)
	if err != nil || path == "" {
		return nil, err
	}
	file, err := configfile.Load(path, named, settings)
	if err != nil || file == nil {
		return nil, err
	}
	return file, p.checkProfiles(file)
}

// checkProfiles holds the profiles of a file against those of the manifest. A file without profiles
// costs nothing.
func (p program) checkProfiles(file *configfile.File) error {
	if !file.NamesProfiles() {
		return nil
	}
	built, err := p.build(config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	var names []string
	for _, profile := range built.Surface.Registry().Profiles {
		names = append(names, profile.Name)
	}
	file.CheckProfiles(names)
	return closeBuilt(built)
}

// closeBuilt ends an app that has served nothing.
func closeBuilt(built *app.App) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return built.Close(ctx)
}

// applyConfig sets the flags of a command that the command line leaves open. A client of a daemon's
// session takes what the daemon has.
func (p program) applyConfig(cmd *cobra.Command) error {
	f := cmd.Flags()
	if f.Lookup(flagConfig) == nil {
		return nil
	}
	if s := f.Lookup(flagSession); s != nil && s.Changed {
		return nil
	}
	file, err := p.loadConfig(f)
	if err != nil {
		return usageError{err}
	}
	if file != nil && file.Err() != nil {
		return usageError{file.Err()}
	}
	sources, err := configfile.Apply(f, file, settings, p.lookupEnv)
	if err == nil {
		err = checkProfileFlag(f, file)
	}
	if err != nil {
		return usageError{err}
	}
	noteSources(f, sources)
	return nil
}

// checkProfileFlag refuses a profile that the file does not have. What the flag still holds is no
// profile of the file; a command that lists tools takes those of the manifest too.
func checkProfileFlag(f *pflag.FlagSet, file *configfile.File) error {
	name := f.Lookup("profile").Value.String()
	takesManifest := f.Lookup("scope") != nil
	if name == "" || takesManifest && (file == nil || !file.NamesProfiles()) {
		return nil
	}
	return file.UnknownProfile(name)
}

// noteSources annotates the flags that the command line did not set.
func noteSources(f *pflag.FlagSet, sources map[string]configfile.Source) {
	for name, s := range sources {
		if s.Kind == configfile.FromEnvironment || s.Kind == configfile.FromFile {
			annotate(f, name, sourceAnnotation, s.String())
		}
	}
}

// lookupEnv reads a variable. The token's is gone from the environment by now.
func (p program) lookupEnv(name string) (string, bool) {
	if name == tokenVariable {
		return p.token, p.token != ""
	}
	return os.LookupEnv(name)
}

// onCommandLine reports whether the command line set a flag.
func onCommandLine(f *pflag.FlagSet, name string) bool {
	flag := f.Lookup(name)
	return flag != nil && flag.Changed && flag.Annotations[sourceAnnotation] == nil
}

// configCommand prints, shows and checks the configuration file.
func (p program) configCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "config", Short: "Write, show and check the file of settings", Args: func(cmd *cobra.Command, args []string) error {
			return unknownVerb(cmd, args, nil)
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // show and check report what serving refuses
	}
	root.AddCommand(p.configInit(), p.configShow(), p.configCheck(), p.configSchema())
	return root
}

func (p program) configInit() *cobra.Command {
	var write bool
	cmd := &cobra.Command{Use: "init", Short: "Print a file with every setting, each commented out", Args: noArguments}
	cmd.RunE = func(*cobra.Command, []string) error {
		text := configfile.Example(settings())
		if !write {
			_, err := io.WriteString(p.stdout, text)
			return err
		}
		path, err := configfile.DefaultPath()
		if err != nil {
			return err
		}
		if err := configfile.Create(path, text); err != nil {
			return usageError{err}
		}
		return p.printLine("%s", path)
	}
	cmd.Flags().BoolVar(&write, "write", false, "write it to its place unless there is one, and print the path")
	return cmd
}

func (p program) configShow() *cobra.Command {
	cfg := config{AuthToken: p.token}
	var asJSON, all bool
	cmd := &cobra.Command{
		Use: "show", Short: "Show the settings of a server with these flags, and the source of each", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := p.loadConfig(cmd.Flags())
			if err == nil && file != nil {
				err = file.Err()
			}
			if err != nil {
				return usageError{err}
			}
			sources, err := configfile.Apply(cmd.Flags(), file, settings, p.lookupEnv)
			if err == nil {
				err = checkProfileFlag(cmd.Flags(), file)
			}
			if err != nil {
				return usageError{err}
			}
			return p.showSettings(cmd.Flags(), sources, asJSON, all)
		},
	}
	cfg.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON, with every default")
	cmd.Flags().BoolVar(&all, "all", false, "show the defaults too")
	return cmd
}

// showSettings prints the settings in the order of the flags.
func (p program) showSettings(f *pflag.FlagSet, sources map[string]configfile.Source, asJSON, all bool) error {
	type row struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		Source string `json:"source"`
	}
	var rows []row
	names := configfile.Names(settings())
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
		enc := json.NewEncoder(p.stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(map[string]any{"settings": rows})
	}
	screen := terminal.New(p.stdout)
	if len(rows) == 0 {
		return screen.Line("every setting has its default; callsheet config show --all lists them")
	}
	cells := make([][]string, len(rows))
	for i, r := range rows {
		cells[i] = []string{r.Name, r.Value, r.Source}
	}
	return screen.Table([]string{"setting", "value", "source"}, cells)
}

func (p program) configCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use: "check [FILE]", Short: "Find the mistakes of a configuration file, in each of its profiles", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := cmd.Flags().Set(flagConfig, args[0]); err != nil {
					return err
				}
			}
			path, _, err := configPath(cmd.Flags())
			if err != nil {
				return usageError{err}
			}
			file, err := configfile.Load(path, true, settings)
			if err != nil {
				return usageError{err}
			}
			if err := p.checkProfiles(file); err != nil {
				return err
			}
			if !file.Diags.HasErrors() {
				file.Try(p.tryConfig)
			}
			if err := file.Diags.Sorted().Fprint(p.stdout, "text", file.Source); err != nil {
				return err
			}
			if file.Diags.HasErrors() {
				return refusedError{}
			}
			return p.printLine("%s is a valid configuration", path)
		},
	}
	configFlags(cmd.Flags())
	return cmd
}

// tryConfig checks the settings of one profile as a server would, without starting anything.
func (p program) tryConfig(file *configfile.File, profile string) error {
	var cfg config
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	cfg.flags(f)
	if profile != "" {
		if err := f.Set("profile", profile); err != nil {
			return err
		}
	}
	none := func(string) (string, bool) { return "", false }
	if _, err := configfile.Apply(f, file, settings, none); err != nil {
		return err
	}
	if err := cfg.validate(f); err != nil {
		return err
	}
	built, err := p.build(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return closeBuilt(built)
}

func (p program) configSchema() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the file, for editors", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			text, err := configfile.Schema(settings())
			if err != nil {
				return err
			}
			_, err = p.stdout.Write(text)
			return err
		},
	}
}
