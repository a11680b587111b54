package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app/server"
	"github.com/callsheet/callsheet/internal/cli/doctor"
	"github.com/callsheet/callsheet/internal/engine/browser"
	logins "github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/login/totp"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/record/observer"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/session/hint"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow"
	"github.com/callsheet/callsheet/tools"
	"github.com/callsheet/callsheet/tools/host"
	recordings "github.com/callsheet/callsheet/tools/recording"
)

// stdioSession is the id of the one session that a client on standard input and output has.
const stdioSession = "stdio"

// app is what is served: a surface, and what stands behind its handlers.
type app struct {
	surface   *toolkit.Surface
	around    []toolkit.Around // what stands around every call, also those of other surfaces over the same registry
	kept      *artifact.Store
	store     *database.Store
	sessions  func(id string) *session.Set
	workflows *workflow.Set               // nil when there are none
	ended     func(sessionID string)      // a client has gone; what its session owned can go
	resume    func(context.Context) error // take up jobs that an earlier process left
	busy      func() bool                 // it works on jobs
	close     func(context.Context) error // everything goes
}

// build joins configuration, browser and tools. Nothing is started before the first call needs it. Its errors are
// mistakes in the configuration.
func build(cfg config, log *slog.Logger) (app, error) {
	kept, err := statedir.At(cfg.StateDir)
	if err != nil {
		return app{}, err
	}
	output, err := files.NewDir(cmp.Or(cfg.Browser.OutputDir, kept.Path("output")))
	if err != nil {
		return app{}, err
	}
	artifacts := artifact.New(kept, 0)
	if cfg.Vault != nil {
		output, artifacts = output.Redacting(cfg.Vault.Reader), artifacts.Redacting(cfg.Vault.Reader)
	}
	roots, err := files.NewRoots(append([]string{output.Path()}, cfg.Browser.FileRoots...)...)
	if err != nil {
		return app{}, err
	}
	engine := cfg.engine(log)
	engine.Keeper, engine.Conceal = session.Keeper{Store: artifacts}, cfg.Vault.Values()
	board := session.New(session.Config{
		Browser: engine,
		// Clients of one server never share cookies, except where there is only one.
		Shared: func(id string) bool { return id == cmp.Or(cfg.Shared, stdioSession) },
	})
	db, sealer := database.New(kept), seal.New(seal.FromEnvironment)
	work, crawler, browsers := cfg.jobs(kept, log, board.Own())
	needs := tools.Needs{
		Browser: board.Own(), Sessions: board.Set, Output: output, Files: roots, Artifacts: artifacts, Store: db,
		Jobs: work, Crawler: crawler,
		Codes: totp.New(totp.NewFile(kept, sealer)), Contexts: logins.New(kept, sealer),
		Exemplars: live.NewExemplars(kept),
		Subject:   doctor.Subject{Browser: engine, State: kept, Store: db}, Reach: cfg.reach(), Redact: cfg.Vault.Redact,
		Recorder: newRecorder(cfg, db, board, artifacts, log),
	}
	reg, set, err := withWorkflows(cfg, kept, artifacts, toolset.New(tools.New(needs)), log)
	if err != nil {
		return app{}, err
	}
	around := layers(cfg, db, needs.Recorder, log)
	surface, err := toolkit.NewSurface(reg, cfg.Surface, around...)
	if err != nil {
		return app{}, errors.Join(err, set.Close(context.Background()))
	}
	return app{
		workflows: set,
		surface:   surface,
		around:    around,
		kept:      artifacts,
		store:     db,
		sessions:  board.Set,
		ended: func(id string) {
			set.Ended(id)
			endSession(needs.Recorder, board, id, log)
		},
		resume: work.Resume, busy: work.Working,
		close: func(ctx context.Context) error {
			return errors.Join(set.Close(ctx), work.Close(ctx), needs.Recorder.Close(ctx), browsers.Close(ctx), board.Close(ctx), db.Close())
		},
	}, nil
}

// engine is the browser that the flags describe.
func (c config) engine(log *slog.Logger) browser.Config {
	return browser.Config{
		Executable: c.Browser.Path, Headless: c.Browser.Headless, UserDataDir: c.Browser.UserDataDir,
		CDPEndpoint: c.endpoints()[0], Viewport: browser.Size(c.Browser.Viewport), Args: c.Browser.Args,
		AllowFile: c.Browser.AllowFileURLs, Logger: log,
	}
}

// reach is how other hosts connect to this server. It leaves out the flags, which may hold what is secret.
func (c config) reach() host.Reach {
	exe, err := os.Executable()
	if err != nil {
		exe = "callsheet" // as a person would call it
	}
	r := host.Reach{Program: exe, Guarded: c.AuthToken != ""}
	if c.HTTP != "" && !strings.HasSuffix(c.HTTP, ":0") { // which port that will be is in the log alone
		r.URL = "http://" + c.HTTP + server.Path
	}
	return r
}

// layers are what stands around every call, the outermost first.
func layers(cfg config, db *database.Store, records *recorder.Recorder, log *slog.Logger) []toolkit.Around {
	var all []toolkit.Around
	if !cfg.NoJournal {
		all = append(all, journal.NewJournal(db, log).Layer)
	}
	if !cfg.NoHints {
		all = append(all, hint.New().Around)
	}
	all = append(all, records.Layer)
	if cfg.Vault != nil { // below the journal and the recorder, which must see names only
		all = append(all, cfg.Vault.Layer(tools.Keepers()...))
	}
	return all
}

// newRecorder writes down the sessions that ask for it.
func newRecorder(cfg config, db *database.Store, board *session.Switchboard, kept *artifact.Store, log *slog.Logger) *recorder.Recorder {
	return recorder.New(recorder.Config{
		Archive: recorder.NewArchive(db), Eye: observer.New(board.Set), Redact: cfg.Vault.Redact, Values: cfg.Vault.Values(),
		Verdicts: toolset.ToolOcAssert, Logger: log,
		Pictures: recordings.Keep(kept),
	})
}

// endSession stops the recording of a client that has gone, and closes what it had open.
func endSession(records *recorder.Recorder, board *session.Switchboard, id string, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if _, err := records.Stop(ctx, id); err != nil && !errors.Is(err, recorder.ErrIdle) {
		log.Warn("stop the recording of a client that has gone", "session", id, "error", err)
	}
	if err := board.End(ctx, id); err != nil {
		log.Warn("end the connections of a client that has gone", "session", id, "error", err)
	}
}
