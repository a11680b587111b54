package app

import (
	"context"
	"slices"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser/address"
	pagesecret "github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/login/totp"
	"github.com/callsheet/callsheet/internal/policy/enforce"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/record/observer"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session/hint"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/principal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/tools/recording"
)

// newLayers returns the layers around every call, the outermost first. The policy is not among
// them: it is around each handler, which calls inside of calls reach without layers.
func (a *App) newLayers(cfg Config, dir statedir.Dir) []toolkit.Middleware {
	all := []toolkit.Middleware{ofPrincipal, argument.Middleware, a.Live.Middleware, forbidScriptAddresses}
	if a.Metrics != nil {
		all = slices.Insert(all, 0, a.Metrics.Middleware)
	}
	if !cfg.NoJournal {
		calls := journal.NewJournal(a.Store, cfg.logger())
		a.journal = calls
		if a.ownsBackend { // the policy of a given one may decide calls of other Apps already
			a.Policy.SetJournal(func(e enforce.Entry) { calls.Add(policyEntry(e)) })
		}
		all = append(all, calls.Middleware)
	}
	if !cfg.NoHints {
		all = append(all, hint.New().Wrap)
	}
	all = append(all, a.recorder.Middleware)
	// Below the journal and the recorder, which must see only the names of secrets.
	filler := secret.NewFiller(cfg.Vault, codes(dir, cfg), cfg.ScriptsAfterSecrets)
	// What a person did passes the fence and the redaction like any other result.
	all = append(all, filler.Middleware, fillInPages(filler), result.Fence, result.NewEvents(a.Connections.Find).Middleware, a.Control.Middleware)
	if cfg.Site != nil {
		all = append(all, cfg.Site.Middleware)
	}
	return append(all, cfg.Layers...)
}

// forbidScriptAddresses lets a caller without the power to run script open no address that runs one.
func forbidScriptAddresses(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		if opt := s.Surface().Options(); opt.Powers != nil && opt.Withholds(s.Surface().Registry(), powerScript) {
			ctx = address.ForbidScript(ctx)
		}
		return next(ctx, s, req)
	}
}

// ofPrincipal has what a call stores belong to its principal.
func ofPrincipal(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		return next(principal.With(ctx, req.Principal), s, req)
	}
}

// fillInPages has the page engine fill secrets in.
func fillInPages(f *secret.Filler) toolkit.Middleware {
	return func(next toolkit.CallHandler) toolkit.CallHandler {
		return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
			return next(pagesecret.With(ctx, f), s, req)
		}
	}
}

// codes returns the function that makes the one-time codes which are typed.
func codes(dir statedir.Dir, cfg Config) secret.CodeFunc {
	all := totp.New(totp.NewFile(dir, cfg.sealer()))
	return func(ctx context.Context, domain string) (string, error) {
		code, err := all.Generate(ctx, power.NewTotp(operator.Grant("secrets")), domain, time.Now())
		return code.Code, err
	}
}

// newRecorder returns the recorder of the sessions that ask for it.
func newRecorder(cfg Config, db *database.Store, backend *Backend) *recorder.Recorder {
	return recorder.New(recorder.Config{
		Archive: recorder.NewArchive(db), Observer: observer.New(backend.Connections.Set, power.NewStorage(operator.Grant("recorder"))),
		Redact: cfg.Vault.Redact, SecretValues: cfg.Vault.Values(), Reference: cfg.Vault.Reference,
		SaveScreenshot: recording.Keep(backend.Artifacts), Logger: cfg.logger(),
	})
}
