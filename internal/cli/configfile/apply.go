package configfile

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/diag"
)

// Source is the origin of a flag's value.
type Source struct {
	Kind     SourceKind
	Variable string   // of the environment
	Profile  string   // of the file, or ""
	Pos      diag.Pos // in the file
}

// SourceKind orders the sources: each one wins over those after it.
type SourceKind string

// The sources.
const (
	FromFlag        SourceKind = "flag"
	FromEnvironment SourceKind = "environment"
	FromFile        SourceKind = "file"
	FromDefault     SourceKind = "default"
)

// String names the source for people.
func (s Source) String() string {
	switch s.Kind {
	case FromEnvironment:
		return s.Variable
	case FromFile:
		if s.Profile != "" {
			return fmt.Sprintf("%s (profile %s)", s.Pos, s.Profile)
		}
		return s.Pos.String()
	}
	return string(s.Kind)
}

// Variable returns the name of the environment variable of a flag.
func Variable(flag string) string {
	return "CALLSHEET_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Apply sets the flags that the command line did not: from the environment, from the chosen profile
// of the file, from the rest of the file. File may be nil. Settings returns every flag that is a
// setting; the other flags of a command are left alone. It returns the source of each flag.
//
// The flag "profile" names a profile of the file where there is one of that name. It is then empty
// unless the profile sets it.
func Apply(flags *pflag.FlagSet, file *File, settings func() *pflag.FlagSet, lookup func(string) (string, bool)) (map[string]Source, error) {
	sources := map[string]Source{}
	var problems []error
	allSettings := sync.OnceValue(settings) // most processes have no variable, and need none
	flags.VisitAll(func(f *pflag.Flag) {
		sources[f.Name] = Source{Kind: FromDefault}
		if f.Changed {
			sources[f.Name] = Source{Kind: FromFlag}
			return
		}
		variable := Variable(f.Name)
		text, ok := lookup(variable)
		if _, refused := notInFile[f.Name]; !ok || text == "" || refused || allSettings().Lookup(f.Name) == nil {
			return
		}
		if err := setFromEnvironment(flags, f, variable, text); err != nil {
			problems = append(problems, err)
			return
		}
		sources[f.Name] = Source{Kind: FromEnvironment, Variable: variable}
	})
	if file != nil {
		problems = append(problems, file.apply(flags, sources))
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(FileValue); ok {
			problems = append(problems, v.ReadFile(file))
		}
	})
	return sources, errors.Join(problems...)
}

func setFromEnvironment(flags *pflag.FlagSet, f *pflag.Flag, variable, text string) error {
	if isRelativePath(f, text) {
		return fmt.Errorf("%s: the path must be absolute, as processes start in several directories", variable)
	}
	if err := flags.Set(f.Name, text); err != nil {
		return fmt.Errorf("%s: %s is wrong: %w", variable, shown(f, text), errors.Unwrap(err))
	}
	return nil
}

// apply sets the flags that still have their defaults: from the chosen profile, then from the rest of
// the file.
func (f *File) apply(flags *pflag.FlagSet, sources map[string]Source) error {
	profile, err := chooseProfile(flags, f)
	problems := []error{err}
	if profile != "" {
		sources[keyProfile] = Source{Kind: FromDefault} // the profile may choose one of the manifest
	}
	for _, layer := range []struct {
		name     string
		settings map[string]Setting
	}{{profile, f.Profiles[profile]}, {"", f.Settings}} {
		for name, s := range layer.settings {
			if flags.Lookup(name) == nil || sources[name].Kind != FromDefault || name == keyProfile && layer.name == "" {
				continue
			}
			for _, v := range s.Values {
				problems = append(problems, flags.Set(name, v))
			}
			sources[name] = Source{Kind: FromFile, Profile: layer.name, Pos: s.Value}
		}
	}
	return errors.Join(problems...)
}

// chooseProfile returns the profile of the file that the flag names, or "", and leaves in the flag
// only what is not one.
func chooseProfile(flags *pflag.FlagSet, file *File) (string, error) {
	f := flags.Lookup(keyProfile)
	named, isSet := file.Settings[keyProfile]
	name := ""
	switch {
	case f != nil && f.Changed:
		name = f.Value.String()
	case isSet:
		name = named.Values[0]
	}
	_, known := file.Profiles[name]
	switch {
	case known && f != nil && f.Changed:
		if err := f.Value.Set(""); err != nil {
			return "", fmt.Errorf("take profile %s of the configuration file: %w", name, err)
		}
		f.Changed = false
		return name, nil
	case known:
		return name, nil
	case isSet && f != nil && !f.Changed:
		return "", flags.Set(keyProfile, name)
	}
	return "", nil
}
