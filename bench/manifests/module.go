package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// module is a synthetic server: a manifest, handlers of every area, and a main package.
type module struct {
	dir   string
	tools int
}

func (m module) areas() int { return (m.tools + toolsPerArea - 1) / toolsPerArea }

// write creates the module. It takes the requirements of the repository at repo, and builds against
// its toolkit.
func (m module) write(repo, nonce string) error {
	mod, err := os.ReadFile(filepath.Join(repo, "gen", "go.mod"))
	if err != nil {
		return err
	}
	_, requires, _ := strings.Cut(string(mod), "\nrequire (")
	sum, err := os.ReadFile(filepath.Join(repo, "gen", "go.sum"))
	if err != nil {
		return err
	}
	var include []string
	problems := []error{
		m.put("go.mod", "module example.com/manifests\n\ngo 1.26\n\nrequire github.com/callsheet/callsheet/gen v0.0.0\n\n"+
			"replace github.com/callsheet/callsheet/gen => "+filepath.Join(repo, "gen")+"\n\nrequire ("+requires),
		m.put("go.sum", string(sum)),
		m.put("main.go", m.main()),
	}
	for i := range m.areas() {
		first, last := m.bounds(i)
		include = append(include, "tools/"+areaName(i)+".yaml")
		problems = append(problems,
			m.put("manifest/tools/"+areaName(i)+".yaml", area(first, last, nonce)),
			m.put("tools/"+areaName(i)+"/handlers.go", handlers(i, first, last)))
	}
	problems = append(problems, m.put("manifest/tools.yaml", fmt.Sprintf(root, strings.Join(include, ", "))))
	return errors.Join(problems...)
}

// edit gives every tool of one area the same text but the first, whose description becomes a new
// one.
func (m module) edit(i int, nonce string) error {
	name := filepath.Join(m.dir, "manifest", "tools", areaName(i)+".yaml")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(strings.Replace(string(data), " to the page ", " to the page of "+nonce+" ", 1)), 0o644)
}

func (m module) bounds(i int) (first, last int) {
	return i * toolsPerArea, min((i+1)*toolsPerArea, m.tools)
}

func (m module) put(name, text string) error {
	full := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, []byte(text), 0o644)
}

func handlers(i, first, last int) string {
	var b strings.Builder
	api := areaName(i) + "api"
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"context\"\n\n\t\"example.com/manifests/generated/toolset/%s\"\n\t\"github.com/callsheet/callsheet/gen/toolkit\"\n)\n\n", areaName(i), api)
	b.WriteString("type Handlers struct{}\n")
	for t := first; t < last; t++ {
		result, value := "toolkit.Result", "toolkit.Text(string(in.Mode))"
		if hasOutput(t) {
			result, value = fmt.Sprintf("%s.Tool%dResult", api, t), fmt.Sprintf("%s.Tool%dResult{URL: string(in.Mode)}", api, t)
		}
		fmt.Fprintf(&b, "\nfunc (Handlers) Tool%d(_ context.Context, _ *toolkit.Call, in %s.Tool%dParams) (%s, error) {\n\treturn %s, nil\n}\n",
			t, api, t, result, value)
	}
	return b.String()
}

func (m module) main() string {
	var imports, arguments strings.Builder
	for i := range m.areas() {
		fmt.Fprintf(&imports, "\t\"example.com/manifests/tools/%s\"\n", areaName(i))
		fmt.Fprintf(&arguments, "\t\t%s.Handlers{},\n", areaName(i))
	}
	return "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"os\"\n\n\t\"example.com/manifests/generated/cli\"\n" +
		"\t\"example.com/manifests/generated/registry\"\n" + imports.String() +
		"\n\t\"github.com/callsheet/callsheet/gen/toolkit\"\n\t\"github.com/callsheet/callsheet/gen/toolkit/mcpserver\"\n)\n" + `
func main() {
	tools := registry.New(registry.Compose(
` + arguments.String() + `	))
	if len(os.Args) > 1 {
		fmt.Println(len(cli.Verbs()))
		return
	}
	surface, err := toolkit.NewSurface(tools, toolkit.Options{})
	if err == nil {
		server := mcpserver.New(surface, mcpserver.Options{Name: "manifests", Version: "0"})
		err = server.ServeStdio(context.Background(), os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`
}
