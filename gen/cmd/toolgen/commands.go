package main

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/codeuse"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/spec"
)

func (a *app) generate() *cobra.Command {
	return &cobra.Command{
		Use:   "generate",
		Short: "Make generated/ what the manifest compiles to",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			m, err := a.loadAll()
			if err != nil {
				return err
			}
			plans := make([]*output.Plan, len(m.sources))
			diags := m.diags
			for i, src := range m.sources {
				plan, more := gen.Generate(src)
				plans[i], diags = plan, append(diags, more...)
			}
			if err := a.report(diags.Sorted(), m.line); err != nil {
				return err
			}
			for i, src := range m.sources {
				changed, err := plans[i].Write(filepath.Join(m.root, filepath.FromSlash(src.Output())))
				if err != nil {
					return inputError{err}
				}
				if changed > 0 && a.format == string(diag.Text) {
					fmt.Fprintf(a.stdout, "%s: %d of %d files changed\n", src.Output(), changed, len(plans[i].Files))
				}
			}
			return nil
		},
	}
}

// clean is the command that deletes leftovers. Only a person can tell them from files of their own, so generate does not.
func clean(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Delete every file of generated/ that the manifest does not compile to, such as those that a checkout left",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			m, err := a.loadAll()
			if err != nil {
				return err
			}
			for _, src := range m.sources {
				plan, diags := gen.Generate(src)
				if plan == nil {
					return a.report(diags.Sorted(), m.line)
				}
				removed, err := plan.Clean(filepath.Join(m.root, filepath.FromSlash(src.Output())))
				for _, name := range removed {
					fmt.Fprintf(a.stdout, "%s/%s: deleted\n", src.Output(), name)
				}
				if err != nil {
					return inputError{err}
				}
			}
			return nil
		},
	}
}

func (a *app) check() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Fail when generated/ is not current, a tool has no capability or a file is not included",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			m, err := a.loadAll()
			if err != nil {
				return err
			}
			diags := m.diags
			for _, src := range m.sources {
				more, err := checkOne(m.root, src)
				if err != nil {
					return inputError{err}
				}
				diags = append(diags, more...)
			}
			return a.report(diags.Sorted(), m.line)
		},
	}
}

// checkOne checks one manifest and compares its generated files with those on disk.
func checkOne(root string, src gen.Source) (diag.List, error) {
	plan, diags := gen.Run(src)
	for i := range diags {
		if slices.Contains([]string{model.RuleUntaggedTool, spec.RuleNotIncluded, codeuse.RuleLostState}, diags[i].Rule) {
			diags[i].Severity = diag.Error
		}
	}
	if diags.HasErrors() {
		return diags, nil
	}
	changes, err := plan.Diff(filepath.Join(root, filepath.FromSlash(src.Output())))
	return append(diags, gen.Stale(src.Output(), changes)...), err
}

func (a *app) lint() *cobra.Command {
	return &cobra.Command{
		Use:   "lint",
		Short: "Report what is wrong with the manifest, and write nothing",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			m, err := a.loadAll()
			if err != nil {
				return err
			}
			diags := m.diags
			for _, src := range m.sources {
				_, more := gen.Check(src)
				diags = append(diags, more...)
			}
			return a.report(diags.Sorted(), m.line)
		},
	}
}

func (a *app) freeze() *cobra.Command {
	var why, who string
	cmd := &cobra.Command{
		Use:   "freeze --why REASON",
		Short: "Promise what the frozen scopes are now, after the tests of tools that it promotes: write " + gen.LockFile,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return freezeNow(a, cmd, why, who) },
	}
	cmd.Flags().StringVar(&why, "why", "", "what the change is for, in three words or more; kept in the lock")
	cmd.Flags().StringVar(&who, "who", "", "who decides it (default $GIT_AUTHOR_NAME, then git's user.name)")
	return cmd
}

// freezeNow runs the tests of tools that are promoted, and writes the lock.
func freezeNow(a *app, cmd *cobra.Command, why, who string) error {
	if len(strings.FieldsFunc(why, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })) < minReason {
		return fmt.Errorf("say why in %d words or more: --why \"…\"; the lock keeps it beside what it decides", minReason)
	}
	root, src, err := a.load()
	if err != nil {
		return err
	}
	decider, err := a.decider(root, who)
	if err != nil {
		return err
	}
	if src.Results, err = a.runTests(cmd, root, gen.PromotionTests(src, "")); err != nil {
		return inputError{err}
	}
	when, err := a.now()
	if err != nil {
		return err
	}
	text, diags, err := gen.Freeze(src, scope.Entry{Who: decider, Why: why, When: when})
	if err != nil {
		return inputError{err}
	}
	if err := a.report(diags, src.Line); err != nil {
		return err
	}
	return inputOr(output.Replace(filepath.Join(root, filepath.FromSlash(src.LockFile())), text))
}

// minReason is how many words a reason has at least.
const minReason = 3

// decider returns who a decision is by: the flag, $GIT_AUTHOR_NAME, or the user that git is configured with.
// An unknown one is an error, except in CI, where git has no user.
func (a *app) decider(root, flag string) (string, error) {
	name := cmp.Or(flag, a.env("GIT_AUTHOR_NAME"))
	if name == "" {
		if email := gitConfig(root, "user.email"); email != "" && email != "you@example.com" {
			name = gitConfig(root, "user.name")
		}
	}
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "", "unknown", "your name", "root":
		if a.env("CI") == "" {
			return "", errors.New("say who decides: --who NAME, or git config user.name and user.email")
		}
		return a.author(name), nil
	}
	return name, nil
}

// gitConfig returns a value of git's configuration in a directory; "" for none.
func gitConfig(dir, key string) string {
	cmd := exec.Command("git", "config", key)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// author returns who begins a threat model or makes a release.
func (a *app) author(flag string) string {
	for _, name := range []string{flag, a.env("GIT_AUTHOR_NAME"), a.env("USER")} {
		if name != "" {
			return name
		}
	}
	return "unknown"
}

// now is the time, or that of $SOURCE_DATE_EPOCH where builds must be reproducible
// (https://reproducible-builds.org/specs/source-date-epoch/).
func (a *app) now() (time.Time, error) {
	epoch := a.env("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read $SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0), nil
}

func (a *app) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [RULE]",
		Short: "Say what a rule is for; without one, list them",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			rules := gen.Rules()
			var ids []string
			for _, r := range rules {
				ids = append(ids, r.ID)
				if len(args) == 1 && r.ID == args[0] {
					fmt.Fprintf(a.stdout, "%s (%s)\n\n%s\n", r.ID, r.Severity, wrap(r.Doc, 80))
					return nil
				}
			}
			if len(args) == 1 {
				return unknownWord("rule", args[0], ids)
			}
			for _, r := range rules {
				first, _, _ := strings.Cut(r.Doc, ". ")
				fmt.Fprintf(a.stdout, "%-24s %s\n", r.ID, strings.TrimSuffix(first, "."))
			}
			return nil
		},
	}
}

// wrap breaks a text into lines of at most width characters, where its words allow.
func wrap(text string, width int) string {
	var b strings.Builder
	col := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case col+1+n > width:
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += n
	}
	return b.String()
}
