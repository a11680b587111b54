package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/cli/doctor"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// doctorCommand looks for what would keep a server with these flags from working.
func (p program) doctorCommand() *cobra.Command {
	cfg := config{AuthToken: p.token}
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Look for what keeps a server with these flags from working, and say what to do", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cfg.Validate(cmd.Flags()); err != nil {
				return exit.Misuse(err)
			}
			return p.examine(cmd.Context(), cfg, asJSON)
		},
	}
	cfg.Flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

// examine shows each finding as it comes, for people, or all of them at the end, for programs.
func (p program) examine(ctx context.Context, cfg config, asJSON bool) (err error) {
	kept, err := statedir.New(cfg.StateDir)
	if err != nil {
		return exit.Misuse(err)
	}
	db := database.New(kept)
	defer func() { err = errors.Join(err, db.Close()) }()
	subject := doctor.Subject{Browser: appConfig(&cfg, slog.New(slog.DiscardHandler)).Browser, State: kept, Store: db, Postgres: cfg.Database, Address: cfg.HTTP, UnboundSecrets: cfg.Vault.Unbound()}
	screen := terminal.New(p.stdout)
	tell := func(f doctor.Finding) { showFinding(screen, f) }
	if asJSON {
		tell = nil
	}
	found := doctor.Examine(ctx, subject, true, tell)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if asJSON {
		if err := printFindings(p.stdout, found); err != nil {
			return err
		}
	}
	if doctor.Worst(found) == doctor.Failure {
		return exit.RefusedError{}
	}
	return nil
}

// showFinding prints a finding, failures in red. Errors of writing are dropped.
func showFinding(screen *terminal.Screen, f doctor.Finding) {
	text := terminal.Plain(f.Text())
	if f.Verdict == doctor.Failure {
		head, rest, more := strings.Cut(text, "\n")
		if text = screen.Style(terminal.Red, head); more {
			text += "\n" + rest
		}
	}
	_ = screen.Line(text)
}

func printFindings(w io.Writer, found []doctor.Finding) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"verdict": doctor.Worst(found), "findings": found}); err != nil {
		return fmt.Errorf("print the findings: %w", err)
	}
	return nil
}
