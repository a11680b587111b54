package options

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/cli/configfile"
)

// TokenVariable holds the bearer token where a flag would show it to every user of the machine.
const TokenVariable = "CALLSHEET_AUTH_TOKEN"

// CloseTimeout bounds the end of everything that is no session.
const CloseTimeout = 5 * time.Second

// Source is the file of settings and the environment, from which flags come that the command line leaves open.
type Source struct {
	Token string // the value of TokenVariable, which is no longer in the environment
	// Build builds the server whose profiles the file may name.
	Build func(Config, *slog.Logger) (*app.App, error)
}

// The flag and the variable that name the configuration file. An empty flag reads none.
const (
	FlagConfig   = "config"
	FileVariable = "CALLSHEET_CONFIG"
)

// sourceAnnotation is the annotation of a flag with the source of its value, where that is not the
// command line.
const sourceAnnotation = "callsheet_source"

// FileFlags adds the flags that choose the configuration file and its profile.
func FileFlags(f *pflag.FlagSet) {
	f.String(FlagConfig, "", "take the settings of this `FILE` (default callsheet/callsheet.yaml in the user's configuration directory); "+
		FileVariable+` sets it too, and "" reads none`)
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

// Settings returns every flag that a configuration file may set, unset.
func Settings() *pflag.FlagSet {
	var c Config
	f := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	c.Flags(f)
	return f
}

// FilePath returns the path of the configuration file, and whether someone named it. "" means none.
func FilePath(f *pflag.FlagSet) (path string, named bool, err error) {
	if flag := f.Lookup(FlagConfig); flag != nil && flag.Changed {
		return flag.Value.String(), true, nil
	}
	if path, ok := os.LookupEnv(FileVariable); ok {
		if path != "" && !filepath.IsAbs(path) {
			return "", true, fmt.Errorf("%s: the path must be absolute, as processes start in several directories", FileVariable)
		}
		return path, true, nil
	}
	path, err = configfile.DefaultPath()
	if err != nil {
		return "", false, nil //nolint:nilerr // a user without a home has no file
	}
	return path, false, nil
}

// Load reads the configuration file that the flags choose; nil without one.
func (s Source) Load(f *pflag.FlagSet) (*configfile.File, error) {
	path, named, err := FilePath(f)
	if err != nil || path == "" {
		return nil, err
	}
	file, err := configfile.Load(path, named, Settings)
	if err != nil || file == nil {
		return nil, err
	}
	return file, s.CheckProfiles(file)
}

// CheckProfiles holds the profiles of a file against those of the manifest. A file without profiles
// costs nothing.
func (s Source) CheckProfiles(file *configfile.File) error {
	if !file.NamesProfiles() {
		return nil
	}
	built, err := s.Build(Config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	var names []string
	for _, profile := range built.Surface.Registry().Profiles {
		names = append(names, profile.Name)
	}
	file.CheckProfiles(names)
	return Close(built)
}

// Close ends an app that has served nothing.
func Close(built *app.App) error {
	ctx, cancel := context.WithTimeout(context.Background(), CloseTimeout)
	defer cancel()
	return built.Close(ctx)
}

// Apply sets the flags of a command that the command line leaves open. A client of a daemon's session takes
// what the daemon has.
func (s Source) Apply(f *pflag.FlagSet) error {
	if f.Lookup(FlagConfig) == nil {
		return nil
	}
	if session := f.Lookup(FlagSession); session != nil && session.Changed {
		return nil
	}
	sources, err := s.Settle(f)
	if err != nil {
		return err
	}
	noteSources(f, sources)
	return nil
}

// Settle sets the flags that the command line leaves open, and returns the source of each setting.
func (s Source) Settle(f *pflag.FlagSet) (map[string]configfile.Source, error) {
	file, err := s.Load(f)
	if err == nil && file != nil {
		err = file.Err()
	}
	if err != nil {
		return nil, err
	}
	sources, err := configfile.Apply(f, file, Settings, s.LookupEnv)
	if err == nil {
		err = checkProfileFlag(f, file)
	}
	return sources, err
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

// LookupEnv reads a variable. The token's is gone from the environment by now.
func (s Source) LookupEnv(name string) (string, bool) {
	if name == TokenVariable {
		return s.Token, s.Token != ""
	}
	return os.LookupEnv(name)
}

// fromEnvironment reports whether a variable set a flag.
func fromEnvironment(flag *pflag.Flag) bool {
	source := flag.Annotations[sourceAnnotation]
	return len(source) > 0 && source[0] == configfile.Variable(flag.Name)
}

// onCommandLine reports whether the command line set a flag.
func onCommandLine(f *pflag.FlagSet, name string) bool {
	flag := f.Lookup(name)
	return flag != nil && flag.Changed && flag.Annotations[sourceAnnotation] == nil
}
