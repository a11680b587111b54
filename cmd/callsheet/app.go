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
	"github.com/callsheet/callsheet/internal/artifact"
	"github.com/callsheet/callsheet/internal/browser"
	"github.com/callsheet/callsheet/internal/connection"
	"github.com/callsheet/callsheet/internal/continuity"
	"github.com/callsheet/callsheet/internal/contract/live"
	"github.com/callsheet/callsheet/internal/doctor"
	"github.com/callsheet/callsheet/internal/files"
	"github.com/callsheet/callsheet/internal/hint"
	logins "github.com/callsheet/callsheet/internal/identity"
	"github.com/callsheet/callsheet/internal/recording"
	"github.com/callsheet/callsheet/internal/recording/witness"
	"github.com/callsheet/callsheet/internal/seal"
	"github.com/callsheet/callsheet/internal/server"
	"github.com/callsheet/callsheet/internal/state"
	"github.com/callsheet/callsheet/internal/store"
	"github.com/callsheet/callsheet/internal/totp"
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
	store     *store.Store
	sessions  func(id string) *connection.Set
	workflows *workflow.Set               // nil when there are none
	ended     func(sessionID string)      // a client has gone; what its session owned can go
	resume    func(context.Context) error // take up jobs that an earlier process left
	busy      func() bool                 // it works on jobs
	close     func(context.Context) error // everything goes
}

// build joins configuration, browser and tools. Nothing is started before the first call needs it. Its errors are
// mistakes in the configuration.
func build(cfg config, log *slog.Logger) (app, error) {
	kept, err := state.At(cfg.StateDir)
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
	engine.Keeper, engine.Conceal = connection.Keeper{Store: artifacts}, cfg.Vault.Values()
	board := connection.New(connection.Config{
		Browser: engine,
		// Clients of one server never share cookies, except where there is only one.
		Shared: func(id string) bool { return id == cmp.Or(cfg.Shared, stdioSession) },
	})
	db, sealer := store.New(kept), seal.New(seal.FromEnvironment)
	work, crawler, browsers := cfg.jobs(kept, log, board.Own())
	needs := tools.Needs{
		Browser: board.Own(), Sessions: board.Set, Output: output, Files: roots, Artifacts: artifacts, Store: db,
		Jobs: work, Crawler: crawler,
		Codes: totp.New(totp.NewFile(kept, sealer)), Contexts: logins.New(kept, sealer),
		Exemplars: live.NewExemplars(kept),
		Subject:   doctor.Subject{Browser: engine, State: kept, Store: db}, Reach: cfg.reach(), Redact: cfg.Vault.Redact,
		Recorder: recorder(cfg, db, board, artifacts, log),
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
func layers(cfg config, db *store.Store, records *recording.Recorder, log *slog.Logger) []toolkit.Around {
	var all []toolkit.Around
	if !cfg.NoJournal {
		all = append(all, continuity.NewJournal(db, log).Layer)
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

// recorder writes down the sessions that ask for it.
func recorder(cfg config, db *store.Store, board *connection.Switchboard, kept *artifact.Store, log *slog.Logger) *recording.Recorder {
	return recording.New(recording.Config{
		Archive: recording.NewArchive(db), Eye: witness.New(board.Set), Redact: cfg.Vault.Redact, Values: cfg.Vault.Values(),
		Verdicts: toolset.ToolOcAssert, Logger: log,
		Pictures: recordings.Keep(kept),
	})
}

// endSession stops the recording of a client that has gone, and closes what it had open.
func endSession(records *recording.Recorder, board *connection.Switchboard, id string, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if _, err := records.Stop(ctx, id); err != nil && !errors.Is(err, recording.ErrIdle) {
		log.Warn("stop the recording of a client that has gone", "session", id, "error", err)
	}
	if err := board.End(ctx, id); err != nil {
		log.Warn("end the connections of a client that has gone", "session", id, "error", err)
	}
}
