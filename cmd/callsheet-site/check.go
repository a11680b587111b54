package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/companion"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	pagesecret "github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/login/secret"
	player "github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/site/check"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/site/repair"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// checking is the flags of check.
type checking struct {
	cfg                  options.Config
	only                 []string
	acts, accept, asJSON bool
	wait                 time.Duration
	traffic              trafficFlags
}

// checkCommand runs every tool of a site against the site.
func (p program) checkCommand() *cobra.Command {
	in := checking{}
	cmd := &cobra.Command{
		Use: companion.SiteCheck.Use, Short: companion.SiteCheck.Short,
		Long: "Run every tool of a site with its examples, and report where the site has drifted. Of a destructive tool the last step that acts is checked\n" +
			"and not made, unless --acts is given. Exit code 0: nothing has drifted. 1: something has, or a check could not be made. 2: a mistake in the call or in the site's source.\n" +
			"--record keeps what the site answers, and --har checks the tools against that without a network: a tool for which the file lacks requests is stale, not drifted.",
		Example: "  callsheet site check shop --secrets .env\n  callsheet site check shop --site-origin http://127.0.0.1:8080 --json\n  callsheet site check shop add_to_cart --accept\n" +
			"  callsheet site check shop --secrets .env --record shop.har\n  callsheet site check shop --har shop.har",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.cfg.Validate(cmd.Flags()); err != nil {
				return exit.Misuse(err)
			}
			in.only = args[1:]
			return p.checkSite(cmd.Context(), args[0], in)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&in.acts, "acts", false, "make the last step that acts of destructive tools too")
	f.BoolVar(&in.accept, "accept", false, "write the proposed repairs into the files of the tools")
	f.BoolVar(&in.asJSON, "json", false, "print the report as JSON")
	f.DurationVar(&in.wait, "wait", player.DefaultWait, "how long a step waits for what it needs")
	in.traffic.flags(f)
	in.cfg.Sites.RunFlags(f)
	in.cfg.BrowserFlags(f)
	options.FileFlags(f)
	return cmd
}

func (p program) checkSite(ctx context.Context, dir string, in checking) (err error) {
	log := in.cfg.Logger(p.stderr, max(in.cfg.LogLevel, slog.LevelWarn))
	in.cfg.Surface.AllTools = true
	if err := in.traffic.apply(&in.cfg, dir); err != nil {
		return exit.Misuse(err)
	}
	built, err := build(in.cfg, log)
	if err != nil {
		return exit.Misuse(err)
	}
	defer func() { err = errors.Join(err, options.Close(built)) }()
	compiled, diags, err := compile.Compile(dir, compile.Options{Builtin: built.Surface.Registry()})
	if err != nil {
		return exit.Misuse(err)
	}
	if compiled == nil {
		if err := p.printSite(diags, in.asJSON); err != nil {
			return err
		}
		return exit.Misuse(fmt.Errorf("the site %s does not compile", dir))
	}
	loaded, err := compiled.Load()
	if err != nil {
		return err
	}
	site, err := loaded.ForRunner(strings.TrimSuffix(in.cfg.Sites.Origin, "/"), in.cfg.Sites.Values)
	if err != nil {
		return exit.Misuse(err)
	}
	if err := checkNames(site, in.only); err != nil {
		return exit.Misuse(err)
	}
	if lacking := in.lackingSecrets(site, dir); len(lacking) > 0 {
		return exit.Misuse(fmt.Errorf("the site types the secrets %s, which are not given: --secrets FILE names a file with a line NAME=value for each", strings.Join(lacking, ", ")))
	}
	report, err := p.runChecks(ctx, built, site, in)
	if err != nil {
		return err
	}
	if err := errors.Join(p.printCheck(dir, compile.Options{Builtin: built.Surface.Registry()}, &report, in), in.traffic.save(p, in.cfg.Vault)); err != nil {
		return err
	}
	if hidden := report.Hidden(); hidden != "" {
		return exit.Misuse(errors.New("nothing was checked: " + hidden))
	}
	if report.Count(check.Drifted)+report.Count(check.Failed)+report.Count(check.Stale) > 0 {
		return exit.RefusedError{}
	}
	return nil
}

// lackingSecrets lists the secrets that the checked tools type and the vault lacks, unless a recording answers in place of the site.
func (in *checking) lackingSecrets(site *run.Site, dir string) []string {
	if in.traffic.replay != nil {
		return nil
	}
	return slices.DeleteFunc(secretNames(dir), func(name string) bool {
		return slices.Contains(in.cfg.Vault.Names(), name) || !slices.ContainsFunc(site.Tools, func(t run.Tool) bool {
			return (len(in.only) == 0 || slices.Contains(in.only, t.Name)) && t.Types(name)
		})
	})
}

// checkNames returns an error for a name that no tool of the site has: nothing would be checked by it.
func checkNames(site *run.Site, only []string) error {
	names := make([]string, len(site.Tools))
	for i := range site.Tools {
		names[i] = site.Tools[i].Name
	}
	for _, name := range only {
		if !slices.Contains(names, name) {
			return fmt.Errorf("the site %s has no tool %q; it has %s", site.Name, name, strings.Join(names, ", "))
		}
	}
	return nil
}

// runChecks runs the tools in the browser of the app.
func (p program) runChecks(ctx context.Context, built *app.App, site *run.Site, in checking) (check.Report, error) {
	errs := terminal.New(p.stderr)
	runner := &run.Runner{
		Site: site, Player: player.ForSession(built.Surface.NewStaticSession(app.StdioSession), built.Session(app.StdioSession)), Redact: in.cfg.Vault.Redact,
		Keep: func(ctx context.Context, name, mime string, data []byte) (run.Evidence, error) {
			a, err := built.Artifacts.Put(ctx, artifact.Meta{Name: name, MIME: mime, Session: app.StdioSession}, bytes.NewReader(data))
			return run.Evidence{Name: name, URI: a.URI(), MIME: mime, Size: a.Size}, err
		},
	}
	o := check.Options{
		Acts: in.acts, Missing: in.traffic.missing(),
		Run:      run.Options{Window: power.NewWindow(operator.Grant("site check")), Network: power.NewNetwork(operator.Grant("site check")), Wait: in.wait},
		Progress: func(done, total int, tool string) { errs.Progress(float64(done), float64(total), tool) },
	}
	if len(in.only) > 0 {
		o.Only = in.only
	}
	if in.cfg.Vault != nil { // requests fill their secrets in without a call of a tool
		ctx = pagesecret.With(ctx, secret.NewFiller(in.cfg.Vault, nil, in.cfg.ScriptsAfterSecrets))
	}
	report, err := check.Check(ctx, runner, site, o)
	errs.ClearProgress()
	return report, err
}

// printCheck prints the report without secrets, and accepts the repairs where that is wanted.
func (p program) printCheck(dir string, o compile.Options, report *check.Report, in checking) error {
	text := in.cfg.Vault.Redact(report.Text())
	if in.asJSON {
		data, err := json.Marshal(report)
		if err != nil {
			return err
		}
		text = string(secret.JSON(in.cfg.Vault.Redact, data))
	}
	if err := terminal.New(p.stdout).Text(text); err != nil {
		return err
	}
	if !in.accept {
		return nil
	}
	repairs := report.Repairs()
	if err := p.acceptRepairs(repairs); err != nil || len(repairs) == 0 {
		return err
	}
	return compile.Update(dir, o)
}

// acceptRepairs writes the repairs of each file at once: their places are those of the file that was checked.
func (p program) acceptRepairs(repairs []*run.Repair) error {
	byFile := map[string][]*run.Repair{}
	for _, r := range repairs {
		byFile[r.File] = append(byFile[r.File], r)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the tool: %w", err)
		}
		mended, err := repair.Apply(text, byFile[file]...)
		if err != nil {
			return fmt.Errorf("repair %s: %w", file, err)
		}
		if err := atomicfile.Update(file, mended, 0o644); err != nil {
			return fmt.Errorf("write the tool: %w", err)
		}
		for _, r := range byFile[file] {
			if _, err := fmt.Fprintf(p.stderr, "repaired %s: %s\n", file, r); err != nil {
				return err
			}
		}
	}
	return nil
}
