package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Resolved is an entry with its variables expanded.
type Resolved struct {
	Command      []string
	Cwd          string // absolute
	Env          map[string]string
	URL          string
	Headers      map[string]string
	RedirectURL  string
	ClientID     string
	ClientSecret string
	MetadataURL  string

	// Secrets are the values that messages must not contain: all that came from variables, env and
	// headers.
	Secrets []string
}

// MissingError names every unset variable of an entry.
type MissingError struct {
	Server *Server
	Names  []string
}

func (e *MissingError) Error() string {
	what := "variable"
	if len(e.Names) > 1 {
		what += "s"
	}
	return fmt.Sprintf("%s: %s %s not set; set it in the environment or in .env beside the file, or write ${%s:-default}",
		e.Server.Pos, what, strings.Join(e.Names, ", "), e.Names[0])
}

// Resolve expands the variables of an entry.
func (s *Server) Resolve(lookup Lookup) (Resolved, error) {
	if err := s.Err(); err != nil {
		return Resolved{}, err
	}
	var exp expansion
	var failed error
	text := func(t Text) string {
		value, err := t.expand(lookup, &exp)
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", t.Pos, err)
		}
		return value
	}
	var r Resolved
	all := func(m map[string]Text) map[string]string {
		out := make(map[string]string, len(m))
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out[k] = text(m[k])
			r.Secrets = append(r.Secrets, out[k])
		}
		return out
	}
	for _, t := range s.Command {
		r.Command = append(r.Command, text(t))
	}
	r.Cwd = s.directory(text(s.Cwd))
	r.Env, r.Headers = all(s.Env), all(s.Headers)
	r.URL = text(s.URL)
	r.RedirectURL, r.ClientID, r.MetadataURL = text(s.OAuth.RedirectURL), text(s.OAuth.ClientID),
		text(s.OAuth.ClientMetadataURL)
	r.ClientSecret = text(s.OAuth.ClientSecret)
	r.Secrets = append(r.Secrets, r.ClientSecret)
	if s.BearerToken.Raw != "" {
		token := text(s.BearerToken)
		r.Headers["Authorization"] = "Bearer " + token
		r.Secrets = append(r.Secrets, token)
	}
	r.Secrets = append(r.Secrets, bareTokens(r.Headers)...)
	r.Secrets = append(r.Secrets, exp.values...)
	if len(exp.missing) > 0 {
		slices.Sort(exp.missing)
		return Resolved{}, &MissingError{Server: s, Names: slices.Compact(exp.missing)}
	}
	return r, failed
}

// bareTokens returns header values without their scheme: a message may repeat only the token.
func bareTokens(headers map[string]string) []string {
	var out []string
	for _, v := range headers {
		if _, token, ok := strings.Cut(v, " "); ok {
			out = append(out, token)
		}
	}
	return out
}

// directory resolves cwd: ~ is the user's home, and a relative path is below the file's directory.
func (s *Server) directory(cwd string) string {
	if cwd == "~" || strings.HasPrefix(cwd, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, cwd[1:])
		}
	}
	if filepath.IsAbs(cwd) {
		return filepath.Clean(cwd)
	}
	return filepath.Join(s.Dir, cwd)
}
