// Package clients knows the configuration of MCP clients: where each keeps its servers, and how an entry
// is put there and taken out without a change of anything else.
//
// It must not know which server the entry is for, nor write files.
package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Client is a program that starts MCP servers.
type Client struct {
	Name    string // as typed
	Title   string // for people
	User    string // path of the user's configuration; "" when the home directory is unknown
	Project string // path below a project; "" when the client has none
	Key     string // the object or table that holds servers by name
	Form    Form
	Typed   bool   // an entry says that it talks over standard input and output
	Local   bool   // an entry has the program and its arguments in one list, and says that it is local
	Defers  bool   // it hides tools behind a search of its own unless the entry says that it must not
	program string // found on PATH where the client is installed
	app     string // directory that the client makes
}

// Form is the language of a configuration.
type Form int

// The forms. JSONC is JSON with comments and trailing commas; a file without them stays without them.
const (
	JSONC Form = iota
	TOML
)

// All lists the clients by name. The directories are those of the environment.
func All() []Client {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	config, err := os.UserConfigDir()
	if err != nil {
		config = ""
	}
	const servers = "mcpServers"
	return []Client{
		{Name: "claude-code", Title: "Claude Code", User: under(home, ".claude.json"), Project: ".mcp.json", Key: servers, Defers: true, program: "claude", app: under(home, ".claude")},
		{Name: "claude-desktop", Title: "Claude Desktop", User: under(config, "Claude", "claude_desktop_config.json"), Key: servers, app: under(config, "Claude")},
		{Name: "codex", Title: "Codex", User: under(codexHome(home), "config.toml"), Project: filepath.Join(".codex", "config.toml"),
			Key: "mcp_servers", Form: TOML, program: "codex", app: codexHome(home)},
		{Name: "cursor", Title: "Cursor", User: under(home, ".cursor", "mcp.json"), Project: filepath.Join(".cursor", "mcp.json"), Key: servers, program: "cursor", app: under(home, ".cursor")},
		{Name: "gemini", Title: "Gemini CLI", User: under(home, ".gemini", "settings.json"), Project: filepath.Join(".gemini", "settings.json"),
			Key: servers, program: "gemini", app: under(home, ".gemini")},
		{Name: "opencode", Title: "opencode", User: under(xdgConfig(home), "opencode", "opencode.json"), Project: "opencode.json", Key: "mcp", Local: true,
			program: "opencode", app: under(xdgConfig(home), "opencode")},
		{Name: "vscode", Title: "VS Code", User: under(config, "Code", "User", "mcp.json"), Project: filepath.Join(".vscode", "mcp.json"),
			Key: "servers", Typed: true, program: "code", app: under(config, "Code")},
		{Name: "windsurf", Title: "Windsurf", User: under(home, ".codeium", "windsurf", "mcp_config.json"), Key: servers, program: "windsurf", app: under(home, ".codeium", "windsurf")},
		{Name: "zed", Title: "Zed", User: under(zedConfig(home, config), "settings.json"), Project: filepath.Join(".zed", "settings.json"),
			Key: "context_servers", program: "zed", app: zedConfig(home, config)},
	}
}

// under joins a directory that may be unknown.
func under(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

func codexHome(home string) string {
	if dir := os.Getenv("CODEX_HOME"); dir != "" {
		return dir
	}
	return under(home, ".codex")
}

// xdgConfig is the configuration directory of programs that use the same one on every system.
func xdgConfig(home string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return under(home, ".config")
}

// zedConfig is the directory of Zed, which on macOS is that of other Unix systems.
func zedConfig(home, config string) string {
	switch runtime.GOOS {
	case "darwin":
		return under(home, ".config", "zed")
	case "windows":
		return under(config, "Zed")
	default:
		return under(config, "zed")
	}
}

// IsPresent reports whether the client seems to be installed: its program is on PATH, or its directory
// is there.
func (c Client) IsPresent() bool {
	if c.program != "" {
		if _, err := exec.LookPath(c.program); err == nil {
			return true
		}
	}
	info, err := os.Stat(c.app)
	return c.app != "" && err == nil && info.IsDir()
}

// Entry is the command with which a client starts a server.
type Entry struct {
	Command string
	Args    []string
	Env     map[string]string
}

// Set returns the configuration with the entry under the name, replacing one that differs. What has the
// entry already is returned as it is. Malformed text is a *SyntaxError.
func (c Client) Set(text []byte, name string, e Entry) ([]byte, error) {
	if c.Form == TOML {
		return setTOML(text, c.Key, name, e)
	}
	return setJSON(text, c.Key, name, c.object(e))
}

// Remove returns the configuration without the entry of the name. Malformed text is a *SyntaxError.
func (c Client) Remove(text []byte, name string) ([]byte, error) {
	if c.Form == TOML {
		return removeTOML(text, c.Key, name)
	}
	return removeJSON(text, c.Key, name)
}

// object is the entry as JSON has it.
func (c Client) object(e Entry) any {
	if c.Local {
		return struct {
			Type    string            `json:"type"`
			Command []string          `json:"command"`
			Env     map[string]string `json:"environment,omitempty"`
			Enabled bool              `json:"enabled"`
		}{"local", append([]string{e.Command}, e.Args...), e.Env, true}
	}
	o := struct {
		Type    string            `json:"type,omitempty"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
		Always  bool              `json:"alwaysLoad,omitempty"`
	}{Command: e.Command, Args: e.Args, Env: e.Env, Always: c.Defers}
	if c.Typed {
		o.Type = "stdio"
	}
	if o.Args == nil {
		o.Args = []string{}
	}
	return o
}
