package compile

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Generated says what Generate has written.
type Generated struct {
	Module string
	Files  int // that were new or other than before
}

//go:embed main.go.tmpl
var mainTemplate string

// Generate writes Go of a site's tools into the module of a directory: generated/ with the typed registry,
// verbs and documents, and a main.go that serves them, and runs the verbs, by a callsheet process with the
// site.
// A directory without go.mod begins a module of the path; "" is example.com/ and the site's name. A main.go
// that is there stays.
func Generate(dir string, o Options, home, module string) (Generated, diag.List, error) {
	in, err := load(dir, o)
	if err != nil || in.site == nil {
		return Generated{}, in.diagnostics(), err
	}
	out := Generated{Module: module}
	data, err := os.ReadFile(filepath.Join(home, "go.mod"))
	switch {
	case err == nil:
		out.Module = gen.ModulePath(data)
	case !errors.Is(err, fs.ErrNotExist):
		return out, nil, fmt.Errorf("read the module: %w", err)
	default:
		out.Module = cmp.Or(module, "example.com/"+in.site.Name.Value)
	}
	in.src.Module = out.Module
	forGo(in.src.Parsed.Tree, in.site.Name)
	plan, diags := gen.Run(in.src)
	diags = in.inSiteTerms(diags)
	if plan == nil {
		return out, diags, nil
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return out, diags, fmt.Errorf("write the module: %w", err)
	}
	if out.Files, err = plan.Write(filepath.Join(home, gen.Generated)); err != nil {
		return out, diags, fmt.Errorf("write the module: %w", err)
	}
	n, err := begin(home, dir, beginning{Module: out.Module, Name: in.site.Name.Value, Program: in.src.Parsed.Tree.CLI.Program.Value})
	out.Files += n
	return out, diags, err
}

// beginning is the data of the template of main.go.
type beginning struct{ Module, Name, Program, Site, Variable string }

// begin writes go.mod and main.go for the site of a directory where they are missing, and returns how many it
// wrote.
func begin(home, dir string, with beginning) (int, error) {
	var main bytes.Buffer
	var err error
	if with.Site, err = filepath.Abs(dir); err != nil {
		return 0, err
	}
	with.Variable = strings.ToUpper(with.Name)
	if err := template.Must(template.New("main.go").Parse(mainTemplate)).Execute(&main, with); err != nil {
		return 0, err
	}
	written := 0
	for file, text := range map[string][]byte{"go.mod": []byte("module " + with.Module + "\n\ngo 1.26.0\n"), "main.go": main.Bytes()} {
		f, err := os.OpenFile(filepath.Join(home, file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return written, fmt.Errorf("write the module: %w", err)
		}
		_, err = f.Write(text)
		if err = errors.Join(err, f.Close()); err != nil {
			return written, fmt.Errorf("write the module: %w", err)
		}
		written++
	}
	return written, nil
}

// forGo adds what the Go of a site has and a served site does not need: verbs and a skill, where the source
// has none.
func forGo(tree *spec.Tree, name spec.Text) {
	text := func(value string) spec.Text { return spec.Text{Value: value, Pos: name.Pos} }
	program := strings.ReplaceAll(name.Value, "_", "-")
	if tree.CLI == nil {
		tree.CLI = &spec.CLI{Pos: name.Pos, Program: text(program), Commands: []spec.Text{text("serve"), text("tools"), text("version")}}
	}
	if tree.Server == nil {
		tree.Server = &spec.Server{
			Pos: name.Pos, Name: text("local/" + program), Title: tree.Capabilities[0].Title, Description: tree.Capabilities[0].Description, Author: text("The author of the site"),
			Skill: &spec.Skill{Pos: name.Pos, When: text("Use it from a shell for tasks on the site " + name.Value + "."), Sections: []spec.SkillSection{{
				Title: text("Commands"), Text: text("Each tool of the site is a command; `" + program + " VERB --help` explains it."),
			}}},
		}
	}
}
