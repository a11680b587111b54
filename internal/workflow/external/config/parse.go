package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
)

// Load reads files in order; a later entry replaces an earlier one of the same alias. It returns
// the servers sorted by alias, including invalid ones, whose Err is set. Errors of a file as a
// whole are only in the diagnostics.
func Load(files ...string) ([]*Server, diag.List, error) {
	byAlias := map[string]*Server{}
	var diags diag.List
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, fmt.Errorf("read the servers: %w", err)
		}
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, nil, fmt.Errorf("resolve %s: %w", file, err)
		}
		list, found := Parse(file, filepath.Dir(abs), data)
		diags = append(diags, found...)
		for _, s := range list {
			byAlias[s.Alias] = s
		}
	}
	out := slicesx.List(slices.Sorted(maps.Keys(byAlias)), func(alias string) *Server { return byAlias[alias] })
	return out, diags.Sorted(), nil
}

// Parse reads one file. dir is the absolute directory that relative paths are relative to.
func Parse(file, dir string, data []byte) ([]*Server, diag.List) {
	root, wrong := parseJSONC(file, data)
	if wrong != nil {
		return nil, diag.List{*wrong}
	}
	var diags diag.List
	if root.kind != '{' {
		diags.Errorf(root.pos, ruleWrongKind, "the file must be an object with a member \"servers\" or \"mcpServers\"")
		return nil, diags
	}
	var list []*Server
	found := false
	seen := map[string]diag.Pos{}
	for _, m := range root.members {
		switch m.key {
		case "servers", "mcpServers":
			found = true
			if m.value.kind != '{' {
				diags.Errorf(m.value.pos, ruleWrongKind, "%s must be an object of servers by alias, not %s", m.key,
					describeKind(m.value))
				continue
			}
			for _, entry := range m.value.members {
				list = append(list, parseServer(entry, dir, seen, &diags)...)
			}
		case "$schema":
		case "imports", "daemonIdleTimeoutMs", "daemon_idle_timeout_ms":
			diags.Warnf(m.pos, ruleIgnoredKey, "%q has no effect here", m.key)
		default:
			diags.Errorf(m.pos, ruleUnknownKey, "unknown key %q", m.key).Hint = diag.DidYouMean(m.key,
				[]string{"servers", "mcpServers"})
		}
	}
	if !found && !diags.HasErrors() {
		diags.Errorf(root.pos, ruleWrongKind, "the file has neither \"servers\" nor \"mcpServers\"")
	}
	return list, diags.Sorted()
}

// parseServer reads one entry. It returns nothing if the alias is invalid.
func parseServer(entry member, dir string, seen map[string]diag.Pos, diags *diag.List) []*Server {
	alias := strings.TrimSpace(entry.key)
	if alias == "" || strings.ContainsAny(alias, ":\n\r\t") {
		diags.Errorf(entry.pos, ruleAlias, "alias %q is empty or has a colon or a line break; steps write alias:tool",
			clip(entry.key))
		return nil
	}
	if first, twice := seen[alias]; twice {
		diags.Errorf(entry.pos, ruleDuplicate, "alias %q is declared twice", alias).Related = &diag.Related{Pos: first,
			Message: "first here"}
		return nil
	}
	seen[alias] = entry.pos
	s := &Server{Alias: alias, Pos: entry.pos, ValuePos: entry.value.pos, Dir: dir, Protocol: Auto,
		Timeout: DefaultTimeout, StartupTimeout: DefaultStartupTimeout, MaxResult: DefaultMaxResult}
	p := &parser{s: s}
	if entry.value.kind != '{' {
		p.errorf(entry.value.pos, ruleWrongKind, "a server must be an object, not %s", describeKind(entry.value))
	} else {
		p.read(entry.value)
	}
	*diags = append(*diags, s.problems...)
	return []*Server{s}
}

// parser reads one entry.
type parser struct {
	s             *Server
	typeText      Text // value of type, as written
	hasStateful   bool // stateful is written
	isCommandLine bool // command is one string
}

func (p *parser) errorf(pos diag.Pos, rule, format string, args ...any) *diag.Diagnostic {
	return p.s.problems.Errorf(pos, rule, format, args...)
}

func (p *parser) read(entry node) {
	seen := map[string]diag.Pos{}
	var args node
	for _, m := range entry.members {
		key := toCamelCase(m.key)
		k, known := keyReaders[key]
		switch first, twice := seen[key]; {
		case twice:
			p.errorf(m.pos, ruleDuplicate, "%q is written twice", m.key).Related = &diag.Related{Pos: first,
				Message: "first here"}
			continue
		case !known:
			p.errorf(m.pos, ruleUnknownKey, "unknown key %q", clip(m.key)).Hint = diag.DidYouMean(key,
				slices.Sorted(maps.Keys(keyReaders)))
			continue
		case k.read == nil && key != "args":
			p.s.problems.Warnf(m.pos, ruleIgnoredKey, "%q has no effect here", m.key)
		}
		seen[key] = m.pos
		if key == "args" { // after command, in any order of keys
			args = m.value
		} else if k.read != nil {
			k.read(p, m.value)
		}
	}
	p.finishCommand(args, seen)
	p.finishTransport(entry, seen)
	if p.s.Allowed != nil && p.s.Blocked != nil {
		p.errorf(seen["blockedTools"], ruleValue, "allowedTools and blockedTools exclude each other")
	}
	if !p.hasStateful {
		p.s.Stateful = looksStateful(p.s)
	}
}

// finishCommand appends the arguments, or splits a command line that is one string.
func (p *parser) finishCommand(args node, seen map[string]diag.Pos) {
	if _, written := seen["args"]; written {
		p.s.Command = append(p.s.Command, p.texts(args)...)
		return
	}
	if !p.isCommandLine || len(p.s.Command) != 1 || !strings.ContainsAny(p.s.Command[0].Raw, " \t") {
		return
	}
	line := p.s.Command[0]
	if _, err := os.Stat(line.Raw); err == nil {
		return // a path with spaces
	}
	words, err := cmdline.Split(line.Raw)
	if err != nil {
		p.errorf(line.Pos, ruleValue, "%v", err)
		return
	}
	p.s.Command = nil
	for _, w := range words {
		p.s.Command = append(p.s.Command, Text{Raw: w, Pos: line.Pos})
	}
}

// finishTransport infers the transport and checks it against the keys.
func (p *parser) finishTransport(entry node, seen map[string]diag.Pos) {
	s := p.s
	command, url := len(s.Command) > 0, s.URL.Raw != ""
	at := p.typeText.Pos
	if at.IsZero() {
		at = entry.pos
	}
	switch {
	case command && url:
		p.errorf(s.URL.Pos, ruleTransport, "a server has a command or a url, not both")
	case s.Transport == Stdio && !command:
		p.errorf(at, ruleTransport, "a stdio server needs a command")
	case s.Transport != Stdio && s.Transport != "" && !url:
		p.errorf(at, ruleTransport, "a server of type %q needs a url", p.typeText.Raw)
	case !command && !url && p.typeText.Raw == "":
		p.errorf(at, ruleTransport, "a server needs a command or a url")
	case s.Transport != "" || p.typeText.Raw != "":
	case command:
		s.Transport = Stdio
	default:
		s.Transport = HTTP
	}
	if s.Transport == Stdio {
		for _, key := range []string{"bearerToken", "bearerTokenEnv", "headers"} {
			if pos, written := seen[key]; written {
				s.problems.Warnf(pos, ruleIgnoredKey, "%q has no effect for a stdio server", key)
			}
		}
	}
}

// looksStateful recognises browser servers by name; their pages outlive a call.
func looksStateful(s *Server) bool {
	names := s.Alias
	for _, t := range s.Command {
		names += " " + t.Raw
	}
	return slices.ContainsFunc([]string{"chrome-devtools", "playwright", "puppeteer", "mobile-mcp"},
		func(name string) bool {
			return strings.Contains(strings.ToLower(names), name)
		})
}
