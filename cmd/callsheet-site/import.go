package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/cli/companion"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/site/har"
	"github.com/callsheet/callsheet/internal/site/imports"
	"github.com/callsheet/callsheet/internal/site/source"
)

// importing is the flags of import.
type importing struct {
	from, kind, name string
	only             []string
	replace          bool
}

// importCommand makes tools of a site out of what describes it elsewhere.
func (p program) importCommand() *cobra.Command {
	var in importing
	cmd := &cobra.Command{
		Use: companion.SiteImport.Use, Short: companion.SiteImport.Short,
		Long: "Make tools of a site out of a HAR, workflows or a lock of page tools. Requests that a page is not needed for become tools that send them with the cookies of the\n" +
			"session; what differs between requests of one form becomes a parameter. Each tool says confirmed: false until a person has read it. What becomes no tool is listed\n" +
			"with the reason. The site is compiled with the tools before anything is written.",
		Example: "  callsheet site import shop --from shop.har\n  callsheet site import shop --from shop.har --only get_items --name items\n  callsheet site import shop --from flows.yaml --kind workflow",
		Args:    exit.ExactArguments(1, "the directory of a site"),
		RunE:    func(_ *cobra.Command, args []string) error { return p.importSite(args[0], in) },
	}
	f := cmd.Flags()
	f.StringVar(&in.from, "from", "", "the imported `FILE`")
	f.StringVar(&in.kind, "kind", "", "what the file is: "+strings.Join(imports.Kinds(), ", ")+" (default: by what it has)")
	f.StringVar(&in.name, "name", "", "call the one tool `NAME`")
	f.StringArrayVar(&in.only, "only", nil, "make this `TOOL` alone; may be repeated")
	f.BoolVar(&in.replace, "replace", false, "replace files of tools that exist")
	return cmd
}

func (p program) importSite(dir string, in importing) error {
	if in.from == "" {
		return exit.Misuse(errors.New("give the file with --from"))
	}
	if in.name != "" && !siteToolName.MatchString(in.name) {
		return exit.Misuse(fmt.Errorf("%q is no name of a tool: a small letter, then small letters, digits and _", in.name))
	}
	read, err := p.readImport(dir, in)
	if err != nil {
		return exit.Misuse(err)
	}
	return withBuiltin(func(o compile.Options) error { return p.writeImport(dir, read, o, in) })
}

// writeImport writes the tools of an import into a site, and prints them.
func (p program) writeImport(dir string, read *imports.Result, o compile.Options, in importing) error {
	written, err := read.Write(dir, imports.WriteOptions{Builtin: o.Builtin, From: filepath.Base(in.from), Only: in.only, Name: in.name, Replace: in.replace})
	var broken *imports.DiagnosticsError
	if errors.As(err, &broken) {
		if err := p.printSite(broken.Diagnostics, false); err != nil {
			return err
		}
	}
	if err != nil {
		return exit.Misuse(err)
	}
	if err := p.printImport(read, written); err != nil {
		return err
	}
	if len(written.Files) == 0 {
		return exit.RefusedError{}
	}
	return nil
}

// readImport reads the file as what the site can have of it.
func (p program) readImport(dir string, in importing) (*imports.Result, error) {
	site, diags, err := source.Load(dir)
	if err != nil {
		return nil, err
	}
	if site == nil {
		return nil, errors.New(diags[0].Message + ": " + diags[0].Hint)
	}
	f, err := os.Open(in.from)
	if err != nil {
		return nil, fmt.Errorf("read what is imported: %w", err)
	}
	defer func() { _ = f.Close() }() // it is only read
	data, err := io.ReadAll(io.LimitReader(f, har.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read what is imported: %w", err)
	}
	o := imports.Options{Kind: imports.Kind(in.kind), Data: data, File: in.from}
	for _, origin := range site.Origins {
		o.Origins = append(o.Origins, origin.Value)
	}
	return imports.Read(o)
}

// printImport prints a line for each tool and each thing that became none.
func (p program) printImport(read *imports.Result, written *imports.Written) error {
	var b strings.Builder
	for _, f := range written.Files {
		fmt.Fprintf(&b, "wrote %s: %s; parameters: %d, values of output: %d; not confirmed yet\n", f.Path, f.Tool.From, len(f.Tool.Input), len(f.Tool.Output))
		for _, n := range f.Tool.Notes {
			b.WriteString("  - " + n + "\n")
		}
	}
	for _, l := range read.Omissions {
		b.WriteString("left out " + l.String() + "\n")
	}
	if len(written.Secrets) > 0 {
		b.WriteString("added to site.yaml: secrets: [" + strings.Join(written.Secrets, ", ") + "]; their values come from --secrets FILE\n")
	}
	fmt.Fprintf(&b, "%d tools, %d left out\n", len(written.Files), len(read.Omissions))
	return terminal.New(p.stdout).Text(b.String())
}
