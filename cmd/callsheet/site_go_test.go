package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/tools"
)

// greetingSite writes the source of a site with a login, and starts the site.
func greetingSite(t *testing.T) (dir string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Greetings</title><button id="in" onclick="this.outerHTML = '<p id=out>Welcome</p><form id=f><label>Name <input id=name></label><button>Greet</button></form><p id=greeting role=status aria-label=Greeting></p>'">Sign in</button>
			<script>document.addEventListener('submit', (e) => { e.preventDefault(); greeting.textContent = 'Hello ' + document.getElementById('name').value })</script>`)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	dir = filepath.Join(t.TempDir(), "my site")
	const effects = "effects: {read_only: false, destructive: false, idempotent: false, open_world: false}\n"
	for name, text := range map[string]string{
		"site.yaml":          "version: 1\nname: greetings\ntitle: Greetings\ndescription: Greets people.\norigins: [" + srv.URL + "]\nfacts:\n  signed_in: {description: A person is signed in., observe: {element: {css: \"#out\"}}, event: clears}\n",
		"tools/sign_in.yaml": "name: sign_in\ntitle: Sign in\ndescription: Sign in.\nvisible: \"!signed_in\"\n" + effects + "changes: {sets: [signed_in]}\nstart: /\nsteps:\n  - {tool: interact, target: {role: button, name: Sign in}}\n",
		"tools/greet.yaml": "name: greet\ntitle: Greet\ndescription: Greet a person.\nvisible: signed_in\n" + effects + "input:\n  person: {type: string, required: true, description: Who is greeted.}\n  mark: {type: string, default: \"!\", description: Ends the greeting.}\noutput:\n  greeting: {type: string, required: true}\n" +
			"steps:\n  - {tool: form_input, args: {value: \"{person}{mark}\"}, target: {role: textbox, name: Name}}\n  - {tool: interact, target: {role: button, name: Greet}}\nextract:\n  greeting: {element: {role: status, name: Greeting}}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// buildModule builds the program of a generated module with the compiler of this repository.
func buildModule(t *testing.T, module string) (program string) {
	t.Helper()
	gen, err := filepath.Abs("../../gen")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(gen, name))
		if name == "go.mod" {
			data = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(data, []byte("module example.com/greetings"))
			data = fmt.Appendf(data, "\nrequire github.com/callsheet/callsheet/gen v0.0.0\nreplace github.com/callsheet/callsheet/gen => %s\n", gen)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(module, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	program = filepath.Join(module, "greetings")
	build := exec.Command("go", "build", "-mod=mod", "-o", program, ".")
	build.Dir = module
	build.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the module: %v\n%s", err, out)
	}
	return program
}

// siteProgram is the program of a site's module. Callsheet is on its path.
type siteProgram struct {
	t         *testing.T
	exe, path string
}

// generateProgram compiles a site into a Go module, and builds its program.
func generateProgram(t *testing.T, site string) siteProgram {
	t.Helper()
	module, bin := t.TempDir(), t.TempDir()
	o := compile.Options{Builtin: tools.Registry(tools.Needs{})}
	if _, diags, err := compile.Generate(site, o, module, "example.com/greetings"); err != nil || diags.HasErrors() {
		t.Fatalf("%v\n%v", err, diags)
	}
	compileSite(t, site)
	exe, err := os.Executable()
	if err == nil {
		script := fmt.Sprintf("#!/bin/sh\n%s=1 GORACE=atexit_sleep_ms=0 XDG_STATE_HOME='%s' exec '%s' \"$@\"\n", asServer, t.TempDir(), exe)
		err = os.WriteFile(filepath.Join(bin, "callsheet"), []byte(script), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return siteProgram{t, buildModule(t, module), bin + string(os.PathListSeparator) + os.Getenv("PATH")}
}

func (p siteProgram) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), p.exe, args...)
	cmd.Env = append(os.Environ(), "PATH="+p.path)
	return cmd
}

// TestCommandsOfASite runs the command line of a site's program: each tool is a command, which a callsheet process runs
// after the login that it needs.
func TestCommandsOfASite(t *testing.T) {
	t.Parallel()
	p := generateProgram(t, greetingSite(t))
	for _, c := range []struct {
		args  string
		code  int
		wants []string
	}{
		{"help", 0, []string{"greet ", "Greet a person", "sign-in", "serve ", "tools ", "version "}},
		{"help greet", 0, []string{"greetings greet <person>", "--mark", "--server"}},
		{"version", 0, []string{"0.1.0"}},
		{"tools", 0, []string{"sign_in"}},
		{"greet Ann --mark ? --json", 0, []string{`{"greeting":"Hello Ann?"}`}},
		{"greet Bob", 0, []string{"Hello Bob!"}},
		{"greet", exit.Usage, []string{"person"}},
		{"greets Ann", exit.Usage, []string{"greets", `"greet"`}},
	} {
		cmd := p.command(strings.Fields(c.args)...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != c.code {
			t.Errorf("%s: %v, want exit code %d\n%s", c.args, err, c.code, out)
		}
		for _, want := range c.wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: no %s in\n%s", c.args, want, out)
			}
		}
	}
	p.path = ""
	alone := p.command("greet", "Ann")
	if out, _ := alone.CombinedOutput(); alone.ProcessState.ExitCode() != exit.Transport || !strings.Contains(string(out), "connect to callsheet") {
		t.Errorf("without callsheet: exit code %d\n%s", alone.ProcessState.ExitCode(), out)
	}
}

// TestServerOfASite calls the tools of a site's program over MCP. Callsheet decides by the page what can be called.
func TestServerOfASite(t *testing.T) {
	t.Parallel()
	client, err := tooltest.CheckOutputs(t, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)).
		Connect(t.Context(), &mcp.CommandTransport{Command: generateProgram(t, greetingSite(t)).command()}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if got := toolNames(t, client); !slices.Equal(got, []string{"greet", "sign_in"}) {
		t.Errorf("the list is %v", got)
	}
	for _, c := range []struct{ tool, want string }{{"greet", "sign_in"}, {"sign_in", ""}, {"greet", "Hello Cleo!"}, {"sign_in", "signed_in"}} {
		params := &mcp.CallToolParams{Name: c.tool}
		if c.tool == "greet" {
			params.Arguments = map[string]any{"person": "Cleo"}
		}
		if res, err := client.CallTool(t.Context(), params); err != nil || !strings.Contains(tooltest.Text(res), c.want) {
			t.Errorf("%s over MCP: %v, %s, want %q", c.tool, err, tooltest.Text(res), c.want)
		}
	}
}
