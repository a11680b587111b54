// Package tools joins the handlers of every area.
//
// It is the one place that knows them all; it must hold no behaviour.
package tools

import (
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/registry"
	"github.com/callsheet/callsheet/internal/cli/doctor"
	engine "github.com/callsheet/callsheet/internal/engine/browser"
	videoengine "github.com/callsheet/callsheet/internal/engine/video"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/login/savedsession"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/login/totp"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/jobs"
	"github.com/callsheet/callsheet/tools/act"
	"github.com/callsheet/callsheet/tools/audit"
	"github.com/callsheet/callsheet/tools/batch"
	"github.com/callsheet/callsheet/tools/browser"
	"github.com/callsheet/callsheet/tools/connection"
	"github.com/callsheet/callsheet/tools/console"
	"github.com/callsheet/callsheet/tools/continuity"
	"github.com/callsheet/callsheet/tools/contract"
	crawltools "github.com/callsheet/callsheet/tools/crawl"
	"github.com/callsheet/callsheet/tools/debugger"
	"github.com/callsheet/callsheet/tools/download"
	"github.com/callsheet/callsheet/tools/environment"
	"github.com/callsheet/callsheet/tools/heap"
	"github.com/callsheet/callsheet/tools/host"
	"github.com/callsheet/callsheet/tools/network"
	"github.com/callsheet/callsheet/tools/page"
	"github.com/callsheet/callsheet/tools/parallel"
	"github.com/callsheet/callsheet/tools/performance"
	"github.com/callsheet/callsheet/tools/pilot"
	"github.com/callsheet/callsheet/tools/plan"
	"github.com/callsheet/callsheet/tools/profile"
	"github.com/callsheet/callsheet/tools/recording"
	"github.com/callsheet/callsheet/tools/skill"
	"github.com/callsheet/callsheet/tools/storage"
	"github.com/callsheet/callsheet/tools/styles"
	"github.com/callsheet/callsheet/tools/tabs"
	totptools "github.com/callsheet/callsheet/tools/totp"
	"github.com/callsheet/callsheet/tools/video"
	"github.com/callsheet/callsheet/tools/webmcp"
)

// Needs holds the dependencies of the handlers.
type Needs struct {
	Browser    *engine.Browser     // the one that a session without connections of its own gets
	Sessions   session.Lookup      // the connections of each client
	Output     *files.Dir          // where files for the caller go
	Files      *files.Roots        // what may be uploaded; nil: nothing
	Artifacts  *artifact.Store     // what is too large for an answer
	Store      *database.Store     // what outlives the process
	Jobs       *jobs.Jobs          // work that outlives the call
	Crawler    *crawl.Crawler      // the kind of job that reads sites
	Codes      *totp.Codes         // one-time codes
	CodeDigits bool                // whether a tool returns codes, which are else only typed
	Contexts   *identity.Store     // exported login states
	Saved      *savedsession.Store // sessions under their names
	Exemplars  *live.Exemplars     // pictures by class, for contracts
	Subject    doctor.Subject      // what is examined when something is wrong
	Reach      host.Reach          // how other hosts connect to this server
	Vault      *secret.Vault       // secrets by name; nil: none
	Redact     func(string) string // takes out of a text what must not be kept; nil: nothing
	Videos     *videoengine.Recorder
	Recorder   *recorder.Recorder // whose layer stands around the calls
	PageLock   webmcp.Lock        // what was seen of tools of pages; nil: nothing is kept
}

// Registry returns every tool with its handler. The tools render their errors for the calling
// client.
func Registry(n Needs) *toolkit.Registry { return result.Render(registry.New(New(n))) }

// New makes the handlers of each area.
func New(n Needs) registry.Handlers {
	return registry.Compose(
		act.New(n.Sessions, n.Files, n.Vault),
		audit.New(n.Sessions, n.Artifacts, n.Redact),
		batch.New(n.Sessions, n.Artifacts),
		browser.New(n.Sessions),
		connection.New(n.Sessions, n.Output),
		console.New(n.Sessions),
		continuity.New(n.Sessions, n.Store, n.Redact),
		contract.New(n.Sessions, n.Artifacts, n.Exemplars, n.Redact),
		crawltools.New(n.Jobs, n.Crawler, n.Artifacts),
		debugger.New(n.Sessions.Debugger),
		download.New(n.Sessions, n.Artifacts),
		environment.New(n.Sessions),
		heap.New(n.Sessions, n.Artifacts),
		host.New(n.Sessions, n.Browser, n.Subject, n.Reach),
		network.New(n.Sessions, n.Output, n.Artifacts),
		page.New(n.Sessions, n.Output, n.Artifacts),
		parallel.New(n.Sessions, n.Store, n.Artifacts, n.Redact),
		performance.New(n.Sessions, n.Artifacts),
		pilot.New(n.Sessions, n.Browser, n.Store, n.Exemplars, n.Redact),
		plan.New(n.Sessions, n.Store),
		profile.New(n.Browser),
		recording.New(n.Recorder, n.Output, n.Artifacts),
		skill.New(n.Sessions, n.Store, n.Redact),
		storage.New(storage.Needs{Sessions: n.Sessions, Contexts: n.Contexts, Saved: n.Saved, Output: n.Output, Files: n.Files}),
		styles.New(n.Sessions),
		tabs.New(n.Sessions),
		totptools.New(n.Codes, n.CodeDigits),
		video.New(n.Sessions, n.Videos),
		webmcp.New(n.Sessions, n.PageLock),
	)
}
