package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/engine/browser"
)

// parse runs a command line up to the point where it would be served.
func parse(t *testing.T, token string, args ...string) (got config, code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, token: token}
	p.build = func(c config, log *slog.Logger) (*app.App, error) {
		got = c
		if c.HTTP != "" {
			return nil, io.EOF // far enough
		}
		return build(config{}, log)
	}
	code = p.run(t.Context(), args)
	return got, code, out.String(), errs.String()
}

func TestFlags(t *testing.T) {
	t.Parallel()
	plain := func(change func(*config)) config {
		c := config{Config: app.Config{Browser: browser.Config{Headless: true, MaxDocument: 8}, Surface: toolkit.Options{MaxResult: toolkit.DefaultMaxResult}}}
		change(&c)
		return c
	}
	http := func(address string) config { return plain(func(c *config) { c.HTTP = address }) }
	tests := map[string]struct {
		args []string
		want config
	}{
		"nothing":            {nil, plain(func(*config) {})},
		"serve":              {[]string{"serve"}, plain(func(*config) {})},
		"http":               {[]string{"--http"}, http("127.0.0.1:9876")},
		"http and a port":    {[]string{"--http", "9877"}, http("127.0.0.1:9877")},
		"http is a port":     {[]string{"--http=9877"}, http("127.0.0.1:9877")},
		"http and address":   {[]string{"--http", "localhost:1", "serve"}, http("localhost:1")},
		"http before a flag": {[]string{"serve", "--http", "--log-level", "warn"}, plain(func(c *config) { c.HTTP, c.LogLevel = "127.0.0.1:9876", slog.LevelWarn })},
		"http before a verb": {[]string{"--http", "serve"}, http("127.0.0.1:9876")},
		"gates": {[]string{
			"--tools-only", "core, storage", "--disable-tools=crawl", "--tools", "a,b", "--tools", "b,c", "--exclude-tools", "d",
			"--read-only", "--slim", "--all-tools", "--output-schemas", "--scope", "browser", "--visibility", "static",
		}, plain(func(c *config) {
			c.Surface = toolkit.Options{
				Scope: "browser", ToolsOnly: []string{"core", "storage"}, DisableTools: []string{"crawl"}, Tools: []string{"a", "b", "c"},
				ExcludeTools: []string{"d"}, ReadOnly: true, Slim: true, AllTools: true, OutputSchemas: true, Visibility: toolkit.Static, MaxResult: toolkit.DefaultMaxResult,
			}
		})},
		"browser": {[]string{
			"--browser", "/b", "--headless=false", "--user-data-dir", "/p", "--viewport", "800x600", "--browser-arg=--a=1,2",
			"--browser-arg", "--b", "--allow-file-urls", "--output-dir", "/o",
		}, plain(func(c *config) {
			c.OutputDir = "/o"
			c.Browser = browser.Config{
				Executable: "/b", UserDataDir: "/p", Viewport: browser.Size{Width: 800, Height: 600},
				Args: []string{"--a=1,2", "--b"}, AllowFile: true, MaxDocument: 8,
			}
		})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, _, stderr := parse(t, "", test.args...)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty(), cmp.AllowUnexported(options.ProviderValue{})); diff != "" {
				t.Errorf("%s%s", diff, stderr)
			}
		})
	}
}

func TestNoArgumentsAreNotThoseOfTheProcess(t *testing.T) {
	t.Parallel()
	if joinOptionalValue(nil) == nil {
		t.Error("nil, for which cobra takes the arguments of the process")
	}
}

func TestTokenFromEnvironment(t *testing.T) {
	t.Parallel()
	got, _, _, _ := parse(t, "from-environment", "--http")
	if got.AuthToken != "from-environment" {
		t.Errorf("token %q", got.AuthToken)
	}
	got, _, _, _ = parse(t, "from-environment", "--http", "--auth-token", "from-the-command-line")
	if got.AuthToken != "from-the-command-line" {
		t.Errorf("token %q", got.AuthToken)
	}
	if _, _, help, _ := parse(t, "from-environment", "help"); strings.Contains(help, "from-environment") {
		t.Error("help shows the token")
	}
}

// TestMistakes are refused with the reason and the nearest name, before anything is served.
func TestMistakes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		want string
	}{
		"flag":            {[]string{"--tols-only", "core"}, `unknown flag --tols-only, did you mean "--tools-only"?`},
		"verb":            {[]string{"serv"}, `unknown verb "serv", did you mean "serve"?`},
		"argument":        {[]string{"serve", "x"}, `serve takes no argument, got "x"`},
		"port":            {[]string{"--http", "99999"}, `"99999" is no port`},
		"empty list":      {[]string{"--tools-only="}, "a name is missing"},
		"hole in a list":  {[]string{"--disable-tools", "core,,crawl"}, "a name is missing"},
		"visibility":      {[]string{"--visibility", "dynamc"}, "known: core, follow, static"},
		"viewport":        {[]string{"--viewport", "800"}, "expected WIDTHxHEIGHT"},
		"level":           {[]string{"--log-level", "loud"}, "log-level"},
		"log format":      {[]string{"--log-format", "xml"}, "known: text, json"},
		"empty token":     {[]string{"--http", "--auth-token", ""}, "an empty token keeps nobody out"},
		"short token":     {[]string{"--http", "--auth-token", "fifteen-letters"}, "can be guessed"},
		"token for stdio": {[]string{"--auth-token", "x"}, "--auth-token has no meaning without --http"},
		"attach":          {[]string{"--cdp-endpoint", "ws://127.0.0.1:1", "--browser", "/b"}, "--cdp-endpoint attaches"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, code, stdout, stderr := parse(t, "", test.args...)
			if code != exit.Usage || stdout != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
			}
		})
	}
}

// TestGatesFailClosed asks the real application.
func TestGatesFailClosed(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	p := program{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, build: build}
	code := p.run(context.Background(), []string{"--tools-only", "cor", "--exclude-tools", "no_such_tool"})
	for _, want := range []string{"--tools-only: unknown capability", `did you mean "core"?`, "--exclude-tools: unknown tool"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %s in %s", want, stderr.String())
		}
	}
	if code != exit.Usage || stdout.Len() > 0 {
		t.Errorf("exit %d, stdout %q", code, stdout.String())
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if _, code, stdout, _ := parse(t, "", args...); code != exit.OK || stdout != "callsheet dev\n" {
			t.Errorf("%v: exit %d, %q", args, code, stdout)
		}
	}
}

func FuzzJoinOptional(f *testing.F) {
	f.Add("--http 9876 serve")
	f.Add("--http -- --http 1")
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, " ")
		got := strings.Join(joinOptionalValue(args), " ")
		if strings.ReplaceAll(got, "--http=", "--http ") != strings.ReplaceAll(text, "--http=", "--http ") {
			t.Errorf("%q became %q", text, got)
		}
	})
}
