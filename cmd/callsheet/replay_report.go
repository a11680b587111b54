package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	recordings "github.com/callsheet/callsheet/tools/recording"
)

// shownRecordings is the number of recordings that the error about an unknown one names.
const shownRecordings = 10

// replayReportCommand writes the report of a recording that is kept here, whichever session made
// it, or of an exported file.
func (p program) replayReportCommand() *cobra.Command {
	var dir, out string
	cmd := &cobra.Command{
		Use: "report FILE|ID", Short: "Write the report of a recording as one HTML file",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Misuse(errors.New("report takes one exported file or the id of a recording"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.report(cmd.Context(), dir, args[0], out) },
	}
	cmd.Flags().StringVar(&dir, "state-dir", "", "the state `DIR`ectory of the server that recorded")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to this `FILE`, - for standard output; ID.html here if absent")
	return cmd
}

// report finds the recording, then writes its report.
func (p program) report(ctx context.Context, dir, what, out string) error {
	kept, err := statedir.New(dir)
	if err != nil {
		return exit.Misuse(err)
	}
	source, err := sourceOf(ctx, kept, what)
	if err != nil {
		return err
	}
	source.Artifact = recordings.Artifacts(artifact.New(kept, 0))
	page, err := export.Report(source)
	if err != nil {
		return err
	}
	if out == "-" {
		_, err := p.stdout.Write(page)
		return err
	}
	if out == "" {
		out = artifact.CleanName(source.Recording.ID) + ".html"
	}
	if err := os.WriteFile(out, page, 0o600); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	path, err := filepath.Abs(out)
	if err != nil {
		path = out
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %d steps, %d bytes\n", path, len(source.Steps), len(page))
	return err
}

// sourceOf reads a recording from an exported file, or else from the state directory.
func sourceOf(ctx context.Context, kept statedir.Dir, what string) (export.Source, error) {
	switch file, err := os.ReadFile(what); {
	case err == nil:
		source, err := export.Read(file)
		if err != nil {
			return source, exit.Misuse(fmt.Errorf("%s: %w", what, err))
		}
		return source, nil
	case !errors.Is(err, fs.ErrNotExist):
		return export.Source{}, exit.Misuse(err)
	}
	db := database.New(kept)
	if _, err := os.Stat(db.Path()); err != nil { // asking must not make a state directory
		return export.Source{}, exit.Misuse(fmt.Errorf("there is no file %s, and nothing is recorded in %s", what, kept.Path()))
	}
	defer func() { _ = db.Close() }() // only read
	archive := recorder.NewArchive(db)
	rec, err := archive.Get(ctx, what)
	if errors.Is(err, recorder.ErrNotFound) {
		return export.Source{}, unknownRecording(ctx, archive, what)
	}
	if err != nil {
		return export.Source{}, err
	}
	steps, err := archive.Steps(ctx, rec.ID)
	return export.Source{Recording: rec, Steps: steps}, err
}

// unknownRecording says what there is instead.
func unknownRecording(ctx context.Context, archive *recorder.Archive, what string) error {
	lines := []string{fmt.Sprintf("there is no file and no recording %s", what)}
	all, err := archive.List(ctx, "", shownRecordings)
	if err != nil {
		return err
	}
	for _, rec := range all {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s  %s  %d steps  %s", rec.ID, rec.StartedAt.Format(time.DateTime), rec.StepCount, rec.Label)))
	}
	return exit.Misuse(errors.New(strings.Join(lines, "\n")))
}
