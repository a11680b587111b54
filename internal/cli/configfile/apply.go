package configfile

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/diag"
)

// Source is where the value of a flag comes from.
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
		if _, ok := notInFile[f.Name]; ok {
			return
		}
		variable := Variable(f.Name)
		if text, ok := lookup(variable); ok && text != "" && allSettings().Lookup(f.Name) != nil {
			if isRelativePath(f, text) {
				problems = append(problems, fmt.Errorf("%s: the path must be absolute, as processes start in several directories", variable))
				return
			}
			if err := flags.Set(f.Name, text); err != nil {
				problems = append(problems, fmt.Errorf("%s: %s is wrong: %w", variable, shown(f, text), errors.Unwrap(err)))
				return
			}
			sources[f.Name] = Source{Kind: FromEnvironment, Variable: variable}
		}
	})
	if file == nil {
		return sources, errors.Join(problems...)
	}
	profile, err := chooseProfile(flags, file)
	problems = append(problems, err)
	if profile != "" {
		sources[keyProfile] = Source{Kind: FromDefault} // the profile may choose one of the manifest
	}
	for _, layer := range []struct {
		name     string
		settings map[string]Setting
	}{{profile, file.Profiles[profile]}, {"", file.Settings}} {
		for name, s := range layer.settings {
			f := flags.Lookup(name)
			if f == nil || sources[name].Kind != FromDefault || name == keyProfile && layer.name == "" {
				continue
			}
			for _, v := range s.Values {
				problems = append(problems, flags.Set(name, v))
			}
			sources[name] = Source{Kind: FromFile, Profile: layer.name, Pos: s.Value}
		}
	}
	return sources, errors.Join(problems...)
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
