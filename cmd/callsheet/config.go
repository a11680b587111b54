package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app/server"
	"github.com/callsheet/callsheet/internal/login/secret"
)

// config is what the flags of serve say.
type config struct {
	HTTP         string // complete address; "" serves on standard input and output
	AuthToken    string
	AllowedHosts []string
	Surface      toolkit.Options
	Static       bool // the list never changes, for any client
	Browser      browserConfig
	Secrets      string // dotenv file of secrets that arguments may name; "" is none
	NoHints      bool
	Vault        *secret.Vault // what is in it
	NoJournal    bool          // do not write down what calls did
	StateDir     string        // where everything that outlives a call is kept; "" is the user's
	Slots        int           // steps of jobs at once; 0 is the default
	Database     string        // of jobs, postgres://…; "" is a file in the state directory
	LogLevel     slog.Level
	Session      string                     // of the daemon, to serve instead of one of its own; "" serves from this process
	Shared       string                     // the session that works with the cookies of the profile; "" is that of standard input and output
	Workflows    string                     // directory of workflows, or one file; "" is none
	Locked       bool                       // servers of workflows must be what servers.lock.json says
	Browse       func(address string) error // shows an address during a login
}

// browserConfig says which browser to drive and how.
type browserConfig struct {
	Path          string // executable; "" finds one
	Headless      bool
	UserDataDir   string // "" is a temporary profile
	CDPEndpoint   string // attach to a running browser instead of starting one
	Viewport      viewport
	Args          []string // more switches for the browser
	AllowFileURLs bool
	FileRoots     []string // more directories whose files may be uploaded
	OutputDir     string   // where files for the caller go; "" is output in the state directory
}

// viewport is a page's size in CSS pixels; zero leaves it to the browser.
type viewport struct{ Width, Height int }

func (c *config) flags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&c.HTTP, "http", "", "serve over HTTP at `ADDR`ess or port, under "+server.Path)
	f.Lookup("http").NoOptDefVal = server.DefaultAddress
	f.StringVar(&c.AuthToken, "auth-token", c.AuthToken, "demand this bearer `TOKEN` over HTTP; "+tokenVariable+" sets it unseen")
	f.Lookup("auth-token").DefValue = "" // help must not show what the environment holds
	f.Var(&listValue{&c.AllowedHosts}, "allowed-hosts", "comma-separated `HOSTS` to answer to beside loopback names")
	f.StringVar(&c.Session, flagSession, "", "serve this session `NAME` of the daemon, where verbs work too")
	c.surfaceFlags(f)
	f.StringVar(&c.Workflows, "workflows", "", "offer the workflows of this `DIR`ectory as tools; --scope workflows offers nothing else")
	f.BoolVar(&c.Locked, "locked", false, "refuse servers of workflows whose tools are not those of servers.lock.json")
	f.Var((*visibilityValue)(&c.Static), "visibility", "`MODE`: dynamic lists follow the session's state, static ones never change")
	c.browserFlags(f)
}

// surfaceFlags choose the tools.
func (c *config) surfaceFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	list := func(p *[]string, name, usage string) { f.Var(&listValue{p}, name, usage) }
	f.StringVar(&c.Surface.Scope, "scope", "", "serve the tools of this frozen scope `NAME`")
	f.StringVar(&c.Surface.Profile, "profile", "", "serve the default scope as this profile `NAME` shows it")
	list(&c.Surface.ToolsOnly, "tools-only", "serve only these `CAPABILITIES`, comma-separated")
	list(&c.Surface.DisableTools, "disable-tools", "serve all but these `CAPABILITIES`, comma-separated")
	list(&c.Surface.Tools, "tools", "serve only these `TOOLS`, comma-separated, and list them all")
	list(&c.Surface.ExcludeTools, "exclude-tools", "serve all but these `TOOLS`, comma-separated")
	f.BoolVar(&c.Surface.ReadOnly, "read-only", false, "serve only tools that change nothing")
	f.BoolVar(&c.Surface.NoEvaluate, "no-evaluate", false, "serve no tool that runs the caller's script in pages")
	f.BoolVar(&c.Surface.Slim, "slim", false, "serve the short list")
	f.BoolVar(&c.Surface.AllTools, "all-tools", false, "list every tool from the start")
	f.Var(optInValue{&c.Surface.OptIn, flagPilot}, flagPilot, "serve the tools that are tried out, too")
	f.Lookup(flagPilot).NoOptDefVal = "true"
}

// browserFlags say which browser to drive, and where things are kept.
func (c *config) browserFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	b := &c.Browser
	f.StringVar(&b.Path, "browser", "", "the browser's executable `PATH`")
	f.BoolVar(&b.Headless, "headless", true, "run the browser without windows")
	f.StringVar(&b.UserDataDir, "user-data-dir", "", "keep the browser's profile in `DIR`ectory")
	f.StringVar(&b.CDPEndpoint, "cdp-endpoint", "", "attach to the browser at this DevTools `URL`; jobs share several, comma-separated")
	f.Var(&b.Viewport, "viewport", "page size in CSS pixels")
	f.StringArrayVar(&b.Args, "browser-arg", nil, "one more `SWITCH` for the browser; may be repeated")
	f.BoolVar(&b.AllowFileURLs, "allow-file-urls", false, "let pages be opened from files")
	f.StringVar(&b.OutputDir, "output-dir", "", "write files for the caller to `DIR`ectory (default output in the state directory)")
	f.StringArrayVar(&b.FileRoots, "file-root", nil, "let files below `DIR`ectory be uploaded; may be repeated (the output directory always is)")
	f.StringVar(&c.StateDir, "state-dir", "", "keep what outlives a call in `DIR`ectory (default callsheet in the user's state directory)")
	f.StringVar(&c.Database, "database-url", "", "keep jobs in this Postgres database, postgres://`…`, so that several machines can work on them; "+databaseVariable+" sets it unseen")
	f.StringVar(&c.Secrets, "secrets", "", "let arguments name secrets of this dotenv `FILE`, as {secret:NAME}")
	f.BoolVar(&c.NoJournal, "no-journal", false, "do not write down which calls were made")
	f.Var(offValue{&c.NoHints}, "hints", "`on` or off: add a short hint to a result when an agent is stuck")
	f.TextVar(&c.LogLevel, "log-level", slog.LevelInfo, "least `LEVEL` that is logged: debug, info, warn or error")
}

// complete checks what flags cannot check one by one.
func (c *config) complete(f *pflag.FlagSet) error {
	var problems []error
	if f.Changed("http") {
		address, err := server.Address(c.HTTP)
		if err != nil {
			problems = append(problems, fmt.Errorf("--http: %w", err))
		}
		c.HTTP = address
	}
	for _, name := range []string{"auth-token", "allowed-hosts"} {
		if f.Changed(name) && c.HTTP == "" {
			problems = append(problems, fmt.Errorf("--%s has no meaning without --http", name))
		}
	}
	if f.Changed("auth-token") && c.AuthToken == "" {
		problems = append(problems, errors.New("--auth-token: an empty token keeps nobody out"))
	}
	if strings.ContainsFunc(c.AuthToken, func(r rune) bool { return r <= ' ' || r > '~' }) {
		problems = append(problems, errors.New("the bearer token may have visible ASCII characters only"))
	}
	if f.Changed(flagSession) {
		problems = append(problems, c.alone(f))
	}
	if f.Changed("scope") && c.Surface.Scope == "" {
		problems = append(problems, errors.New("--scope: a name is missing"))
	}
	if f.Changed("profile") && c.Surface.Profile == "" {
		problems = append(problems, errors.New("--profile: a name is missing"))
	}
	if f.Changed("cdp-endpoint") && (f.Changed("browser") || f.Changed("user-data-dir") || f.Changed("browser-arg")) {
		problems = append(problems, errors.New("--cdp-endpoint attaches to a running browser: --browser, --user-data-dir and --browser-arg cannot change it"))
	}
	if err := c.completeDatabase(); err != nil {
		problems = append(problems, err)
	}
	if slices.Contains(c.endpoints(), "") && f.Changed("cdp-endpoint") {
		problems = append(problems, errors.New("--cdp-endpoint: an address is missing"))
	}
	if f.Changed("secrets") {
		vault, err := secret.Load(c.Secrets)
		if err != nil {
			problems = append(problems, fmt.Errorf("--secrets: %w", err))
		}
		c.Vault = vault
	}
	return errors.Join(problems...)
}

// alone checks that a session of the daemon is served as it is: the daemon has its own flags.
func (c *config) alone(f *pflag.FlagSet) error {
	if !isSession(c.Session) {
		return fmt.Errorf("--%s: a name is 1 to 64 of A-Z a-z 0-9 . _ -", flagSession)
	}
	var others []string
	f.Visit(func(x *pflag.Flag) {
		if !slices.Contains([]string{flagSession, "scope", "log-level"}, x.Name) {
			others = append(others, "--"+x.Name)
		}
	})
	if len(others) > 0 {
		return fmt.Errorf("--%s serves what the daemon has; %s cannot change it", flagSession, strings.Join(others, ", "))
	}
	return nil
}

// offValue is a flag that says on or off, of what is on unless it is switched off.
type offValue struct{ off *bool }

func (v offValue) String() string {
	if v.off != nil && *v.off {
		return "off"
	}
	return "on"
}

func (v offValue) Set(text string) error {
	if text != "on" && text != "off" {
		return fmt.Errorf("on or off, not %q", text)
	}
	*v.off = text == "off"
	return nil
}

// Type names the value in help.
func (offValue) Type() string { return "on|off" }

// flagPilot turns the capability of that name on.
const flagPilot = "pilot"

// optInValue is a flag that turns a capability on which is off by itself.
type optInValue struct {
	names *[]string
	name  string
}

func (v optInValue) String() string {
	return strconv.FormatBool(v.names != nil && slices.Contains(*v.names, v.name))
}

func (v optInValue) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("true or false")
	}
	*v.names = slices.DeleteFunc(*v.names, func(name string) bool { return name == v.name })
	if on {
		*v.names = append(*v.names, v.name)
	}
	return nil
}

// Type names the value in help.
func (optInValue) Type() string { return "bool" }

// listValue is a comma-separated list. An empty one is a mistake (an unset shell variable, mostly), and taking it for
// "no filter" would open what it was to close.
type listValue struct{ names *[]string }

func (v *listValue) String() string {
	if v.names == nil {
		return ""
	}
	return strings.Join(*v.names, ",")
}

func (v *listValue) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return errors.New("a name is missing")
		}
		if !slices.Contains(*v.names, name) {
			*v.names = append(*v.names, name)
		}
	}
	return nil
}

func (v *listValue) Type() string { return "csv" }

// visibilityValue is true for static lists.
type visibilityValue bool

func (v *visibilityValue) String() string {
	if *v {
		return "static"
	}
	return "dynamic"
}

func (v *visibilityValue) Set(text string) error {
	if text != "static" && text != "dynamic" {
		return errors.New("known: static, dynamic")
	}
	*v = text == "static"
	return nil
}

func (v *visibilityValue) Type() string { return "mode" }

func (v *viewport) String() string {
	if *v == (viewport{}) {
		return ""
	}
	return strconv.Itoa(v.Width) + "x" + strconv.Itoa(v.Height)
}

// maxSide bounds a viewport's sides in CSS pixels; Chromium's own textures end near it.
const maxSide = 16384

func (v *viewport) Set(text string) error {
	wide, high, ok := strings.Cut(text, "x")
	width, err1 := strconv.Atoi(wide)
	height, err2 := strconv.Atoi(high)
	if !ok || err1 != nil || err2 != nil || width < 1 || height < 1 || width > maxSide || height > maxSide {
		return errors.New("expected WIDTHxHEIGHT, as 1280x720")
	}
	v.Width, v.Height = width, height
	return nil
}

func (v *viewport) Type() string { return "WxH" }
