// Package options is the flags of a server: which tools, browser and transport they choose, and how the file of
// settings fills in those that the command line leaves open.
//
// The commands of two programs have these flags. It must not know what the commands do.
package options

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/gen/toolkit/runner"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/metrics"
	"github.com/callsheet/callsheet/internal/app/server"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/tools/host"
)

// DatabaseVariable holds the address of the database of jobs where a flag would show its password
// to every user.
const DatabaseVariable = "CALLSHEET_DATABASE_URL"

// defaultMaxDocument is the megabytes of a document that are loaded: a page of so many takes seconds to read.
const defaultMaxDocument = 8

// minToken is the length of the shortest bearer token in characters: shorter ones can be guessed.
const minToken = 16

// Config is the values of the flags of serve. Zero fields of the embedded part mean what app.Config
// says.
type Config struct {
	app.Config

	HTTP          string // complete address; "" serves on standard input and output
	AuthToken     string
	HasTokens     bool // the configuration file has a table of bearer tokens
	AllowedHosts  []string
	Proxies       httpserver.Proxies
	CDPEndpoints  string // comma-separated DevTools addresses of running browsers; "" launches one
	Provider      ProviderValue
	Attach        string // profile directory of the person's browser to attach to, or AttachAny
	Secrets       string // dotenv file of secrets that arguments may name; "" means none
	LogLevel      slog.Level
	LogFormat     string // "" is text
	Scrape        string // who may read the metrics over HTTP; "" is off
	Sites         Site
	DaemonSession string // the daemon's session to serve; "" serves from this process
	// BesideCommands reports that the tools alone are chosen, and they need commands to open pages.
	BesideCommands bool
}

// AppConfig returns the configuration of the server.
func (c *Config) AppConfig(log *slog.Logger) app.Config {
	cfg := c.Config
	endpoints := c.endpoints()
	cfg.Browser.CDPEndpoint, cfg.Endpoints = endpoints[0], endpoints[1:]
	cfg.Browser.Remote = c.RemoteBrowser()
	cfg.Browser.Isolate = c.Provider.Name != "" // clients of one server share no cookies in a browser that is no person's
	cfg.Reach, cfg.Logger = c.reach(), log
	cfg.Metrics = c.HTTP != "" && c.Scrape != "" && c.Scrape != metricsOff
	c.Sites.apply(&cfg)
	return cfg
}

// endpoints returns the browsers to attach to; "" stands for one that is launched.
func (c *Config) endpoints() []string {
	all := strings.Split(c.CDPEndpoints, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// reach says how other hosts connect to this server. It leaves out the flags, which may hold
// secrets.
func (c *Config) reach() host.Reach {
	exe, err := os.Executable()
	if err != nil {
		exe = "callsheet" // as a person would call it
	}
	r := host.Reach{Program: exe, Guarded: c.IsGuarded()}
	if c.HTTP != "" && !strings.HasSuffix(c.HTTP, ":0") { // the log alone has the port that the system chooses
		r.URL = "http://" + c.HTTP + httpserver.Path
	}
	return r
}

// IsGuarded reports whether clients over HTTP need a token.
func (c *Config) IsGuarded() bool { return c.AuthToken != "" || c.HasTokens }

// HasOpenMetrics reports whether metrics are served without a token.
func (c *Config) HasOpenMetrics() bool { return c.Scrape == metricsOpen }

// Flags registers the flags of a server, which write into c.
func (c *Config) Flags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&c.HTTP, "http", "", "serve over HTTP at `ADDR`ess or port, under "+httpserver.Path)
	f.Lookup("http").NoOptDefVal = server.DefaultAddress
	f.StringVar(&c.AuthToken, "auth-token", c.AuthToken, "demand this bearer `TOKEN` over HTTP; "+TokenVariable+" sets it unseen")
	f.Lookup("auth-token").DefValue = "" // help must not show what the environment holds
	f.Var(runner.List(&c.AllowedHosts), "allowed-hosts", "comma-separated `HOSTS` to answer to beside loopback names; their pages may ask, others may not")
	f.Var(wordValue[string]{&c.Scrape, []string{metricsOff, metricsOn, metricsOpen}}, "metrics", "over HTTP, serve metrics for Prometheus under "+metrics.Path+": to who may call tools (on), or to everybody (open)")
	f.Lookup("metrics").NoOptDefVal = metricsOn
	f.Var(&c.Proxies, "trusted-proxies", "believe the X-Forwarded headers of reverse proxies at these comma-separated `ADDRESSES`")
	f.StringVar(&c.DaemonSession, FlagSession, "", "serve this session `NAME` of the daemon, where verbs work too")
	f.IntVar(&c.MaxSessions, "max-sessions", 0, "let at most `N` sessions be open at once (default 256)")
	c.SurfaceFlags(f)
	f.StringVar(&c.Workflows.Path, "workflows", "", "offer the workflows of this `DIR`ectory as tools; --scope workflows offers nothing else")
	f.BoolVar(&c.Workflows.Locked, "locked", false, "refuse servers of workflows whose tools are not those of servers.lock.json")
	c.Sites.flags(f)
	c.BrowserFlags(f)
	FileFlags(f)
}

// SurfaceFlags choose the tools.
func (c *Config) SurfaceFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	list := func(p *[]string, name, usage string) { f.Var(runner.List(p), name, usage) }
	f.StringVar(&c.Surface.Scope, "scope", "", "serve the tools of this frozen scope `NAME`")
	f.StringVar(&c.Surface.Profile, "profile", "", "take the settings of this profile `NAME` of the configuration file, or serve the default scope as one of the manifest shows it")
	list(&c.Surface.ToolsOnly, "tools-only", "serve only these `CAPABILITIES`, comma-separated")
	list(&c.Surface.DisableTools, "disable-tools", "serve all but these `CAPABILITIES`, comma-separated")
	list(&c.Surface.Tools, "tools", "serve only these `TOOLS`, comma-separated, and list them all")
	list(&c.Surface.ExcludeTools, "exclude-tools", "serve all but these `TOOLS`, comma-separated")
	f.BoolVar(&c.Surface.ReadOnly, "read-only", false, "serve only tools that change nothing")
	f.Var(optInValue{&c.Surface.DisableSurfaces, toolset.SurfaceEvaluate}, "no-evaluate", "serve no tool that runs the caller's script in pages")
	f.Lookup("no-evaluate").NoOptDefVal = "true"
	f.BoolVar(&c.Surface.Slim, "slim", false, "serve the short list")
	f.BoolVar(&c.Surface.AllTools, "all-tools", false, "list every tool from the start")
	f.Var(wordValue[toolkit.Visibility]{&c.Surface.Visibility, toolkit.Visibilities()}, "visibility", "`MODE`: the core list stands and states add to it (core), lists follow the state (follow), or never change (static)")
	f.IntVar(&c.Surface.MaxResult, "max-result", toolkit.DefaultMaxResult, "cut the text of a result after so many `BYTES`; a model reads four of them as a token")
	f.BoolVar(&c.Surface.OutputSchemas, "output-schemas", false, "list the schemas of structured results too")
	f.Var(optInValue{&c.Surface.OptIn, FlagPilot}, FlagPilot, "serve the tools that are tried out, too")
	f.Lookup(FlagPilot).NoOptDefVal = "true"
	c.WebMCPFlag(f)
}

// WebMCPFlag switches the tools of pages on. The daemon has the flag too: it launches the browser of the verbs.
func (c *Config) WebMCPFlag(f *pflag.FlagSet) {
	f.Var(optInValue{&c.Surface.OptIn, FlagWebMCP}, FlagWebMCP, "serve the tools that pages offer themselves (WebMCP), and launch browsers that have them")
	f.Lookup(FlagWebMCP).NoOptDefVal = "true"
}

// BrowserFlags say which browser to drive, and where things are kept.
func (c *Config) BrowserFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	b := &c.Browser
	f.StringVar(&b.Executable, "browser", "", "the browser's executable `PATH`")
	f.BoolVar(&b.Headless, "headless", true, "run the browser without windows")
	f.StringVar(&b.UserDataDir, "user-data-dir", "", "keep the browser's profile in `DIR`ectory")
	f.StringVar(&c.CDPEndpoints, "cdp-endpoint", "", "attach to the browser at this DevTools `URL`; sessions and jobs share several, comma-separated")
	f.StringVar(&c.Attach, "attach", "", "attach to the running browser of the person with this profile `DIR`ectory; any is the only one whose remote debugging is allowed")
	f.Var(&c.Provider, "browser-provider", "attach to the remote browser that has this `NAME` under providers in the configuration file")
	f.Var(TabsFlag(&b.Tabs), "tabs", "which tabs of an attached browser sessions may use: opened (those that they opened), pinned, group or all")
	f.BoolVar(&b.PinTab, "pin-tab", false, "refuse a call whose tab has closed, and let it move to no other tab")
	f.Var((*viewportValue)(&b.Viewport), "viewport", "page size in CSS pixels")
	f.StringArrayVar(&b.Args, "browser-arg", nil, "one more `SWITCH` for the browser; may be repeated")
	f.Var(runner.List(&c.Clients.Switches), "allow-switches", "let clients launch browsers with these `SWITCHES` too, comma-separated")
	f.BoolVar(&c.Clients.DebugPort, "allow-debug-port", false, "let clients open a debugging port, which gives their browser to every program of this machine")
	f.Var(runner.List(&c.Clients.Endpoints), "connect", "let clients attach to these browsers alone, comma-separated `HOSTS` or host:port (default any of this machine)")
	f.IntVar(&b.MaxDocument, "max-document", defaultMaxDocument, "stop the load of a document after `MB` megabytes and work on what came; 0 for no limit")
	f.BoolVar(&b.AllowFile, "allow-file-urls", false, "let pages be opened from files")
	f.StringVar(&c.OutputDir, "output-dir", "", "write files for the caller to `DIR`ectory (default output in the state directory)")
	f.StringArrayVar(&c.FileRoots, "file-root", nil, "let files below `DIR`ectory be uploaded; may be repeated (the output directory always is)")
	f.StringVar(&c.StateDir, "state-dir", "", "keep what outlives a call in `DIR`ectory (default callsheet in the user's state directory)")
	f.StringVar(&c.WebMCPLock, "webmcp-lock", "", "keep the tools of pages that a person has allowed in this `FILE` (default webmcp.lock.json in the state directory)")
	f.StringVar(&c.Database, "database-url", "", "keep jobs in this Postgres database, postgres://`…`, so that several machines can work on them; "+DatabaseVariable+" sets it unseen")
	f.StringVar(&c.StorageState, "storage-state", "", "begin each session with the cookies and storage of this `FILE`, as Playwright writes it")
	f.StringVar(&c.SaveStorageState, "save-storage-state", "", "write the session's cookies and storage to this `FILE` at its end, as Playwright reads it (of a daemon, the default session's)")
	f.BoolVar(&c.KeepSessions, "keep-sessions", false, "save a session's cookies and storage at its end, and begin its next one with them")
	f.StringVar(&c.Policy, "policy", "", "let tools and pages reach and do what this `FILE` allows; callsheet policy init prints one")
	f.StringVar(&c.Secrets, "secrets", "", "let typed text name secrets of this dotenv `FILE`, as {secret:NAME}; NAME@ORIGIN=value binds one to an origin")
	f.BoolVar(&c.ScriptsAfterSecrets, "scripts-after-secrets", false, "let scripts of callers run on pages into which secrets were typed")
	f.BoolVar(&c.CodeDigits, "code-digits", false, "tell callers one-time codes, and not only type them")
	f.BoolVar(&c.NoJournal, "no-journal", false, "do not write down which calls were made")
	f.Var(offValue{&c.NoHints}, "hints", "`on` or off: add a short hint to a result when an agent is stuck")
	f.TextVar(&c.LogLevel, "log-level", slog.LevelInfo, "least `LEVEL` that is logged: debug, info, warn or error")
	f.Var(wordValue[string]{&c.LogFormat, []string{logText, logJSON}}, "log-format", "write the log as `FORMAT`: text or json")
}

// Logger returns a logger that writes to w what has at least a level, without the values of the vault.
func (c *Config) Logger(w io.Writer, least slog.Level) *slog.Logger {
	w, opt := c.Vault.RedactWriter(w), &slog.HandlerOptions{Level: least}
	if c.LogFormat == logJSON {
		return slog.New(slog.NewJSONHandler(w, opt))
	}
	return slog.New(slog.NewTextHandler(w, opt))
}

// Validate checks what flags cannot check one by one.
func (c *Config) Validate(f *pflag.FlagSet) error {
	var problems []error
	if f.Changed("http") {
		address, err := httpserver.Address(c.HTTP, server.DefaultAddress)
		if err != nil {
			problems = append(problems, fmt.Errorf("--http: %w", err))
		}
		c.HTTP = address
	}
	for _, name := range []string{"auth-token", "allowed-hosts", "trusted-proxies", "metrics"} { // a file may have them for servers that do use HTTP
		if onCommandLine(f, name) && c.HTTP == "" {
			problems = append(problems, fmt.Errorf("--%s has no meaning without --http", name))
		}
	}
	if f.Changed("auth-token") && c.AuthToken == "" {
		problems = append(problems, errors.New("--auth-token: an empty token keeps nobody out"))
	}
	if c.HTTP != "" && c.AuthToken != "" && len(c.AuthToken) < minToken {
		problems = append(problems, fmt.Errorf("the bearer token has under %d characters, and can be guessed: openssl rand -hex 16 prints one that cannot", minToken))
	}
	if strings.ContainsFunc(c.AuthToken, func(r rune) bool { return r <= ' ' || r > '~' }) {
		problems = append(problems, errors.New("the bearer token may have visible ASCII characters only"))
	}
	if f.Changed(FlagSession) {
		problems = append(problems, c.checkSessionFlags(f))
	} else {
		c.BesideCommands = c.Surface.Scope == commandScope && c.HTTP == "" && len(otherFlags(f)) == 0
	}
	if f.Changed("scope") && c.Surface.Scope == "" {
		problems = append(problems, errors.New("--scope: a name is missing"))
	}
	if f.Changed("profile") && c.Surface.Profile == "" {
		problems = append(problems, errors.New("--profile: a name is missing"))
	}
	problems = append(problems, c.checkBrowserFlags(f), c.checkStateFlags(f), c.ReadDatabase())
	if f.Changed("secrets") {
		vault, err := secret.Load(c.Secrets)
		if err != nil {
			problems = append(problems, fmt.Errorf("--secrets: %w", err))
		}
		c.Vault = vault
	}
	return errors.Join(problems...)
}

// checkBrowserFlags checks the flags that choose a browser.
func (c *Config) checkBrowserFlags(f *pflag.FlagSet) error {
	var problems []error
	if f.Changed("cdp-endpoint") && (f.Changed("browser") || f.Changed("user-data-dir") || f.Changed("browser-arg")) {
		problems = append(problems, errors.New("--cdp-endpoint attaches to a running browser: --browser, --user-data-dir and --browser-arg cannot change it"))
	}
	if err := chromium.CheckArgs(c.Browser.Args); err != nil {
		problems = append(problems, fmt.Errorf("--browser-arg: %w", err))
	}
	if c.Attach != "" || c.Provider.Name != "" {
		problems = append(problems, c.checkAttach(f))
	}
	if slices.Contains(c.endpoints(), "") && f.Changed("cdp-endpoint") {
		problems = append(problems, errors.New("--cdp-endpoint: an address is missing"))
	}
	return errors.Join(problems...)
}

// checkStateFlags checks the flags of storage states.
func (c *Config) checkStateFlags(f *pflag.FlagSet) error {
	var problems []error
	for _, name := range []string{"storage-state", "save-storage-state", "keep-sessions"} {
		switch {
		case !f.Changed(name):
		case c.CDPEndpoints != "" || c.Attach != "":
			problems = append(problems, fmt.Errorf("--%s is for browsers that callsheet starts; --cdp-endpoint and --attach attach to somebody else's", name))
		case name != "storage-state" && c.HTTP != "":
			problems = append(problems, fmt.Errorf("--%s has no meaning with --http, which serves many sessions; callsheet session save keeps one of them", name))
		}
	}
	return errors.Join(problems...)
}

// checkSessionFlags checks that a session of the daemon is served as it is: the daemon has its own
// flags.
func (c *Config) checkSessionFlags(f *pflag.FlagSet) error {
	if !IsSession(c.DaemonSession) {
		return fmt.Errorf("--%s: a name is 1 to 64 of A-Z a-z 0-9 . _ -", FlagSession)
	}
	if others := otherFlags(f); len(others) > 0 {
		return fmt.Errorf("--%s serves what the daemon has; %s cannot change it", FlagSession, strings.Join(others, ", "))
	}
	return nil
}

// commandScope is the scope whose tools open no page: what they leave out are commands.
const commandScope = "browser"

// otherFlags lists the flags of a command line or of its environment that a session of the daemon cannot have.
func otherFlags(f *pflag.FlagSet) (out []string) {
	f.Visit(func(x *pflag.Flag) {
		if inFile := !onCommandLine(f, x.Name) && !fromEnvironment(x); !inFile && !slices.Contains([]string{FlagSession, "scope", "log-level", FlagConfig}, x.Name) {
			out = append(out, "--"+x.Name)
		}
	})
	return out
}

// ReadDatabase takes the address from the environment unless a flag says it, and checks it without
// repeating it: it may hold a password.
func (c *Config) ReadDatabase() error {
	if c.Database == "" {
		c.Database = os.Getenv(DatabaseVariable)
	}
	if c.Database == "" {
		return nil
	}
	u, err := url.Parse(c.Database)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return errors.New("--database-url: an address of Postgres is wanted, as postgres://user@host:5432/name")
	}
	return nil
}

// IsSession reports whether a name is one that the server takes. No pattern is compiled for it:
// every start would pay.
func IsSession(name string) bool {
	const others = "._-"
	strange := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r)
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, strange)
}

// FlagSession is the flag that names a session of the daemon.
const FlagSession = "session"
