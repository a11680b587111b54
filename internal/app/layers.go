package app

import (
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/record/observer"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session/hint"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/tools/recording"
)

// layers returns the layers around every call, the outermost first.
func layers(cfg Config, db *database.Store, records *recorder.Recorder) []toolkit.Middleware {
	all := []toolkit.Middleware{argument.Middleware}
	if !cfg.NoJournal {
		all = append(all, journal.NewJournal(db, cfg.logger()).Middleware)
	}
	if !cfg.NoHints {
		all = append(all, hint.New().Wrap)
	}
	all = append(all, records.Middleware)
	if cfg.Vault != nil { // below the journal and the recorder, which must see only the names of secrets
		all = append(all, cfg.Vault.Middleware)
	}
	return append(all, cfg.Layers...)
}

// newRecorder returns the recorder of the sessions that ask for it.
func newRecorder(cfg Config, db *database.Store, backend *Backend) *recorder.Recorder {
	return recorder.New(recorder.Config{
		Archive: recorder.NewArchive(db), Observer: observer.New(backend.Connections.Set),
		Redact: cfg.Vault.Redact, SecretValues: cfg.Vault.Values(),
		SaveScreenshot: recording.Keep(backend.Artifacts), Logger: cfg.logger(),
	})
}
