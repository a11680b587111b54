package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/companion"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/learn"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// recording is the flags of record.
type recording struct {
	from  []string
	force bool
	cfg   options.Config
}

// recordCommand makes a tool of a site out of recordings.
func (p program) recordCommand() *cobra.Command {
	var in recording
	cmd := &cobra.Command{
		Use: companion.SiteRecord.Use, Short: companion.SiteRecord.Short,
		Long: "Make a tool of a site out of two or more recordings of one task, an agent's or a person's. What differs between them becomes a parameter, what is typed into\n" +
			"fields for secrets the name of a secret. The tool says confirmed: false until a person has read it.",
		Example: "  callsheet record https://shop.example --out first.json     # once\n  callsheet record https://shop.example --out second.json    # again, with other values\n" +
			"  callsheet site record shop add_to_cart --from first.json --from second.json",
		Args: exit.ExactArguments(2, "the directory of a site and the name of a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.recordSite(cmd.Context(), args[0], args[1], in)
		},
	}
	cmd.Flags().StringArrayVar(&in.from, "from", nil, "a `RECORDING`: the file of an export in format json, or an id; give two or more")
	cmd.Flags().BoolVar(&in.force, "force", false, "replace a tool of that name")
	cmd.Flags().StringVar(&in.cfg.StateDir, "state-dir", "", "where recordings are kept (default: per user)")
	return cmd
}

var siteToolName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func (p program) recordSite(ctx context.Context, dir, name string, in recording) error {
	if !siteToolName.MatchString(name) {
		return exit.Misuse(fmt.Errorf("%q is no name of a tool: a small letter, then small letters, digits and _", name))
	}
	if len(in.from) < 2 {
		return exit.Misuse(errors.New("give two recordings or more with --from: what differs between them becomes a parameter; callsheet record URL --out FILE.json makes one"))
	}
	file := filepath.Join(dir, compiled.ToolsDir, name+".yaml")
	if _, err := os.Stat(file); err == nil && !in.force {
		return exit.Misuse(fmt.Errorf("%s exists; --force replaces it", file))
	}
	recordings, err := p.readRecordings(ctx, in)
	if err != nil {
		return exit.Misuse(err)
	}
	draft, err := learn.Learn(name, recordings)
	if err != nil {
		return exit.Misuse(err)
	}
	if draft.Visible = signedInFact(dir); len(draft.Secrets()) > 0 {
		draft.Visible = "" // the recordings sign in themselves
	}
	text, err := draft.File()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("make the directory of tools: %w", err)
	}
	if err := atomicfile.Update(file, text, 0o644); err != nil {
		return fmt.Errorf("write the tool: %w", err)
	}
	return p.tellDraft(file, draft)
}

// signedInFact returns the fact that a tool sets which types a secret of the site; "" where there is none, or several.
func signedInFact(dir string) (fact string) {
	site, _, err := source.Load(dir)
	if err != nil || site == nil {
		return ""
	}
	for _, t := range site.Tools {
		types := slices.ContainsFunc(t.Steps, func(s source.Step) bool { return strings.Contains(string(s.Args), "{secret:") })
		if !types {
			continue
		}
		for _, set := range t.Entry.Changes.Sets {
			if fact != "" && fact != set.Value {
				return ""
			}
			fact = set.Value
		}
	}
	return fact
}

// tellDraft prints what was learned, and what a person has to decide.
func (p program) tellDraft(file string, draft *learn.Draft) error {
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s: %d steps, %d parameters; not confirmed yet\n", file, len(draft.Steps), len(draft.Parameters)-len(draft.Secrets()))
	for _, n := range draft.Notes {
		b.WriteString("- " + n + "\n")
	}
	if secrets := draft.Secrets(); len(secrets) > 0 {
		b.WriteString("add to site.yaml: secrets: [" + strings.Join(secrets, ", ") + "]\n")
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

// readRecordings reads files and the recordings of the state directory.
func (p program) readRecordings(ctx context.Context, in recording) (out [][]recorder.Step, err error) {
	var built *app.App
	defer func() {
		if built != nil {
			err = errors.Join(err, options.Close(built))
		}
	}()
	for _, from := range in.from {
		text, err := os.ReadFile(from)
		if err == nil {
			read, err := export.Read(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", from, err)
			}
			out = append(out, read.Steps)
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) || strings.ContainsAny(from, `/\.`) {
			return nil, fmt.Errorf("read the recording: %w", err)
		}
		if built == nil {
			if built, err = build(in.cfg, slog.New(slog.DiscardHandler)); err != nil {
				return nil, err
			}
		}
		steps, err := recorder.NewArchive(built.Store).Steps(ctx, from)
		if err != nil {
			return nil, err
		}
		if len(steps) == 0 {
			return nil, fmt.Errorf("%q is no file, and no recording has that id", from)
		}
		out = append(out, steps)
	}
	return out, nil
}
