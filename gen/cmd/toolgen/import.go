package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/importer"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/upstream"
)

// importFlags are the flags of "toolgen import".
type importFlags struct {
	url         string
	headers     []string
	environment []string
	effects     string
	report      string
	update      bool
}

// upstream is where the flags and the command say that the server is.
func (f *importFlags) upstream(command []string) (importer.Upstream, error) {
	out := importer.Upstream{Command: command, URL: f.url, Environment: f.environment}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, "=")
		if !ok {
			return out, fmt.Errorf("--header %s: write NAME=VALUE", h)
		}
		out.Headers = append(out.Headers, [2]string{name, value})
	}
	return out, nil
}

func (a *app) importTools() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import [FILE] [-- COMMAND ARGUMENT…]",
		Short: "Write a manifest of the tools that another server offers",
		Long: `Write a manifest of the tools that another server offers, and report every decision.

FILE is the result of tools/list as JSON. Without it, the server is asked: the command is started,
or the server at --url is called. What the manifest's grammar says exactly becomes an input there;
any other schema stays as the server sends it, in manifest/upstream.json. "toolgen proxy" serves the
manifest.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, command, err := splitSource(args, cmd.ArgsLenAtDash())
			if err != nil {
				return err
			}
			if f.effects != "ask" && f.effects != "protocol" {
				return unknownWord("way with effects", f.effects, []string{"ask", "protocol"})
			}
			from, err := f.upstream(command)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // ends what was started
			defer stop()
			if f.update {
				if len(command) > 0 || f.url != "" || len(f.headers)+len(f.environment) > 0 || cmd.Flags().Changed("effects") {
					return errors.New("--update asks the upstream that the manifest names; edit upstream there")
				}
				return a.runUpdate(ctx, file, f.report)
			}
			return a.runImport(ctx, file, from, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", "", "address of the server over HTTP")
	flags.StringArrayVar(&f.headers, "header", nil, "header of each HTTP request, as NAME=VALUE; ${NAME} in the value stands for an environment variable")
	flags.StringSliceVar(&f.environment, "environment", nil, "names of variables that the command gets beside those of the system")
	flags.StringVar(&f.effects, "effects", "ask", `what to do about effects that the server does not state: "ask" leaves them out, and the compiler asks; "protocol" takes the protocol's defaults, which assume the worst`)
	flags.BoolVar(&f.update, "update", false, "import again into the manifest that is here: show what the server has changed, and keep what people have edited")
	flags.StringVar(&f.report, "report", "", "write the report as JSON to this file too")
	return cmd
}

// splitSource returns the file and the command of a command line; dash is where the command begins, or
// negative.
func splitSource(args []string, dash int) (file string, command []string, err error) {
	if dash >= 0 {
		args, command = args[:dash], args[dash:]
	}
	switch len(args) {
	case 0:
		return "", command, nil
	case 1:
		return args[0], command, nil
	}
	return "", nil, fmt.Errorf("one file is read; these are %d: %s", len(args), strings.Join(args, ", "))
}

// runUpdate imports again into the manifest that is there, from the upstream that it names.
func (a *app) runUpdate(ctx context.Context, file, report string) error {
	root, src, err := a.load()
	if err != nil {
		return err
	}
	tree, diags := spec.Parse(src.RootFile(), src.Files)
	if tree == nil {
		return a.report(diags, src.Line)
	}
	if src.Upstream == nil || tree.Upstream == nil {
		return inputError{errors.New("this manifest was not imported: it has no upstream, or no manifest/upstream.json")}
	}
	was, err := upstream.ReadRecord(src.Upstream.Data)
	if err != nil {
		return inputError{fmt.Errorf("read %s: %w", src.Upstream.Name, err)}
	}
	from := upstreamOf(tree.Upstream)
	var now upstream.List
	if file != "" {
		now, err = listOf(file)
		now.Name, now.Version = was.Name, was.Version
	} else {
		now, err = a.ask(ctx, from)
	}
	if err != nil {
		return inputError{err}
	}
	if a.format == string(diag.Text) {
		fmt.Fprint(a.stdout, importer.Summary(was, now))
	}
	files := append(slices.Clone(src.Files), *src.Upstream)
	return a.writeImport(root, importer.Update(files, was, now, importer.Options{Upstream: from}), report)
}

// upstreamOf is the section upstream of a manifest, whatever else is wrong with it.
func upstreamOf(u *spec.Upstream) importer.Upstream {
	texts := func(in []spec.Text) (out []string) {
		for _, t := range in {
			out = append(out, t.Value)
		}
		return out
	}
	out := importer.Upstream{Command: texts(u.Command), Environment: texts(u.Environment), URL: u.URL.Value}
	for _, h := range u.Headers {
		out.Headers = append(out.Headers, [2]string{h.Name.Value, h.Value.Value})
	}
	return out
}

func (a *app) runImport(ctx context.Context, file string, from importer.Upstream, f importFlags) error {
	var list upstream.List
	var err error
	switch {
	case file != "":
		list, err = listOf(file)
	case len(from.Command) > 0 || from.URL != "":
		list, err = a.ask(ctx, from)
	default:
		return errors.New("name the server: FILE, --url ADDRESS or -- COMMAND")
	}
	if err != nil {
		return inputError{err}
	}
	if f.effects == importer.ProtocolEffects {
		list.Effects = importer.ProtocolEffects
	}
	a.progress(fmt.Sprintf("writing the entries of %d tools", len(list.Tools)))
	result := importer.Import(list, importer.Options{Upstream: from})
	var there []string
	for _, out := range result.Files {
		if _, err := os.Lstat(filepath.Join(a.dir, filepath.FromSlash(out.Name))); err == nil {
			there = append(there, out.Name)
		}
	}
	if len(there) > 0 {
		return inputError{fmt.Errorf("%s has %s already; nothing was written. To import again: --update", a.dir, strings.Join(there, ", "))}
	}
	return a.writeImport(a.dir, result, f.report)
}

func (a *app) writeImport(root string, result importer.Result, report string) error {
	for _, out := range result.Files {
		if err := output.Replace(filepath.Join(root, filepath.FromSlash(out.Name)), out.Data); err != nil {
			return inputError{err}
		}
	}
	return a.printReport(result.Decisions, report)
}

// ask asks the server for its tools.
func (a *app) ask(ctx context.Context, from importer.Upstream) (upstream.List, error) {
	u := &model.Upstream{Command: from.Command, URL: from.URL, Environment: from.Environment}
	for _, h := range from.Headers {
		u.Headers = append(u.Headers, model.Header{Name: h[0], Value: h[1]})
	}
	place := from.URL
	if place == "" {
		place = strings.Join(from.Command, " ")
	}
	a.progress("asking " + place + " for its tools")
	server, list, err := a.connect(ctx, u)
	if err != nil {
		return list, err
	}
	server.Close()
	return list, nil
}

// listOf reads a list of tools.
func listOf(file string) (upstream.List, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return upstream.List{}, err
	}
	list, err := upstream.Decode(data)
	if err != nil {
		return list, fmt.Errorf("read %s: %w", file, err)
	}
	if list.Name == "" {
		list.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	return list, nil
}

// progress says on standard error what takes long: a server may be fetched first, and a document may have a thousand
// operations.
func (a *app) progress(what string) {
	if a.format == string(diag.Text) {
		fmt.Fprintf(a.stderr, "toolgen: %s\n", what)
	}
}

// printReport writes the decisions, and writes them to a file too.
func (a *app) printReport(decisions []importer.Decision, file string) error {
	if decisions == nil {
		decisions = []importer.Decision{}
	}
	data, err := json.MarshalIndent(decisions, "", "  ")
	if err != nil {
		return defectError{err}
	}
	data = append(data, '\n')
	if file != "" {
		if err := output.Replace(file, data); err != nil {
			return inputError{err}
		}
	}
	if a.format == string(diag.JSON) {
		_, err = a.stdout.Write(data)
	} else {
		err = importer.Print(a.stdout, decisions)
	}
	if err != nil {
		return inputError{err}
	}
	return nil
}
