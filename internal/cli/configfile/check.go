package configfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
)

// NamesProfiles reports whether the file has profiles or chooses one.
func (f *File) NamesProfiles() bool {
	return len(f.Profiles) > 0 || len(f.Settings[keyProfile].Values) > 0
}

// CheckProfiles reports profiles that have the name of one of the manifest's, and a chosen profile
// that neither the file nor the manifest has.
func (f *File) CheckProfiles(manifest []string) {
	f.manifest = manifest
	for _, name := range f.ProfileNames() {
		if slices.Contains(manifest, name) {
			f.Diags.Errorf(f.profilePos[name], ruleProfile, "profile %q is one of the manifest's", name).Hint =
				"give it another name; --profile would not say which one is meant"
		}
	}
	if s, ok := f.Settings[keyProfile]; ok {
		f.checkProfile(s, append(f.ProfileNames(), manifest...))
	}
	for _, name := range f.ProfileNames() {
		if s, ok := f.Profiles[name][keyProfile]; ok { // a profile of the file may only choose one of the manifest's
			f.checkProfile(s, manifest)
		}
	}
}

// UnknownProfile is the error of a profile that neither the file nor the manifest has; nil for one
// that is known. A nil file has no profile.
func (f *File) UnknownProfile(name string) error {
	if f == nil {
		return fmt.Errorf("--profile: there is no configuration file, so no profile %q", name)
	}
	known := append(f.ProfileNames(), f.manifest...)
	if slices.Contains(known, name) {
		return nil
	}
	hint := diag.DidYouMean(name, known)
	if hint == "" {
		hint = "known: " + strings.Join(known, ", ")
	}
	return fmt.Errorf("--profile: %s has no profile %q; %s", f.Path, name, hint)
}

func (f *File) checkProfile(s Setting, known []string) {
	if slices.Contains(known, s.Values[0]) {
		return
	}
	d := f.Diags.Errorf(s.Value, ruleProfile, "there is no profile %q", s.Values[0])
	if d.Hint = diag.DidYouMean(s.Values[0], known); d.Hint == "" {
		d.Hint = "known: " + strings.Join(known, ", ")
	}
}

// Try calls check for the settings without a profile and for each profile, and reports its errors at
// the settings that they name. The name of the former is "".
func (f *File) Try(check func(f *File, profile string) error) {
	for _, name := range append([]string{""}, f.ProfileNames()...) {
		err := check(f, name)
		if err == nil {
			continue
		}
		for _, problem := range flatten(err) {
			pos := f.find(name, problem.Error())
			if slices.ContainsFunc(f.Diags, func(d diag.Diagnostic) bool { return d.Pos == pos && d.Message == problem.Error() }) {
				continue // every profile has the settings outside of profiles
			}
			f.Diags.Errorf(pos, ruleCheck, "%s", problem)
		}
	}
}

// flatten lists the errors of a joined error.
func flatten(err error) (out []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		out = append(out, flatten(e)...)
	}
	return out
}

// find returns the place of the setting that a message is about: the value that it quotes of the
// first flag that it names, or that flag's key, or a value that it contains. A message about none
// of them is about the file.
func (f *File) find(profile, message string) diag.Pos {
	layers := []map[string]Setting{f.Profiles[profile], f.Settings}
	best, at := len(message), diag.Pos{File: f.Path}
	for _, settings := range layers {
		for name, s := range settings {
			if where := indexWord(message, "--"+name); where >= 0 && where < best {
				best, at = where, s.Key
				if i := slices.IndexFunc(s.Values, func(v string) bool { return strings.Contains(message, strconv.Quote(v)) }); i >= 0 {
					at = s.Items[i]
				}
			}
		}
	}
	if at.Line > 0 {
		return at
	}
	for _, settings := range layers {
		for _, s := range settings {
			if i := slices.IndexFunc(s.Values, func(v string) bool { return len(v) > 1 && strings.Contains(message, v) }); i >= 0 {
				return s.Items[i]
			}
		}
	}
	return at
}

// indexWord finds a text that no letter, digit or hyphen follows.
func indexWord(s, word string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return -1
		}
		from += i + len(word)
		if from == len(s) || !strings.ContainsAny(s[from:from+1], "-abcdefghijklmnopqrstuvwxyz0123456789") {
			return from - len(word)
		}
	}
}
