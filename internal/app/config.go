package app

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/session/control"
	"github.com/callsheet/callsheet/internal/site/host"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/tools"
	toolshost "github.com/callsheet/callsheet/tools/host"
)

// StdioSession is the id of the session of programs that call tools without a protocol. The id of a
// client on standard input and output begins with mcpserver.LinePrefix.
const StdioSession = "stdio"

// Config has the operator's choices. The zero value serves every tool of the default surface with
// a browser that has windows, and keeps its state in the user's state directory.
type Config struct {
	// Version is the version of the program, as clients and external servers see it.
	Version string
	// Surface selects the tools.
	Surface toolkit.Options
	// Browser configures the server's own browser. New sets its store of downloads, its secrets and
	// its logger.
	Browser browser.Config
	// Endpoints are the DevTools addresses of more browsers, which sessions and jobs share with
	// Browser.
	Endpoints []string
	// JobSlots is how many steps of jobs run at once; 0 is the default of package jobs.
	JobSlots int
	// Database is the address of the Postgres database of jobs; "" is a file in the state
	// directory.
	Database string
	// WebMCPLock is the file of the tools of pages that a person has allowed; "" is one in the state directory.
	WebMCPLock string
	// StateDir is the directory of everything that outlives a call; "" is the user's.
	StateDir string
	// OutputDir is the directory of files for the caller; "" is output in the state directory.
	OutputDir string
	// FileRoots are directories whose files may be uploaded, besides OutputDir.
	FileRoots []string
	// StorageState is a file in Playwright's format: the state that the browser context of each session
	// begins with. SaveStorageState is the file that the state of the session on standard input and
	// output, or of SharedSession, is written to at its end. Either is "" for none.
	StorageState, SaveStorageState string
	// KeepSessions saves sessions at their end under their names, and has them begin with what was
	// saved: those of a daemon, which SharedSession marks, and that on standard input and output.
	KeepSessions bool
	// Policy is the file of what tools and pages may reach and do; "" is the default policy.
	Policy string
	// Vault holds the secrets that arguments may name; nil has none.
	Vault *secret.Vault
	// ScriptsAfterSecrets lets scripts of callers run on documents into which secrets were typed.
	ScriptsAfterSecrets bool
	// CodeDigits lets a tool return one-time codes, which are else only typed.
	CodeDigits bool
	// Passphrase returns the key of encrypted files; nil reads it from the environment.
	Passphrase func() (string, error)
	// NoJournal leaves out the journal of calls, NoHints the hints for agents that are stuck.
	NoJournal, NoHints bool
	// Metrics counts calls, for App.Metrics.
	Metrics bool
	// Layers are more layers around every call, innermost.
	Layers []toolkit.Middleware
	// Control has the times of a take-over by a person.
	Control control.Config
	// Clients has the clients' permissions for browsers of their own.
	Clients session.ClientPolicy
	// SharedSession is the session that works with the cookies of the browser's profile; "" is
	// StdioSession, and the first client on standard input and output.
	SharedSession string
	// MaxSessions is the number of sessions that may be open at once; 0 is the default of mcpserver.
	MaxSessions int
	// Workflows are the workflows to offer as tools.
	Workflows Workflows
	// Site is the site whose tools are offered; nil for none. Its tools are the list where no scope is chosen.
	Site host.Site
	// Reach says how other hosts connect to this server.
	Reach toolshost.Reach
	// Backend is shared by several Apps of one process, and the journals of these have no decisions of
	// its policy; nil has New make one, which Close ends.
	Backend *Backend
	// Logger receives what no caller learns; nil discards it.
	Logger *slog.Logger
}

func (c Config) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}

// powerScript is the power to run a script of the caller.
const powerScript = "script"

// vocabulary returns the registry without what its handlers work with: the tools' names and powers, which do not
// depend on it.
var vocabulary = sync.OnceValue(func() *toolkit.Registry { return tools.Registry(tools.Needs{}) })

// ownBrowser is the configuration of the server's own browser without what the layers above add to
// it.
func (c Config) ownBrowser() browser.Config {
	cfg := c.Browser
	cfg.Logger = c.logger()
	if slices.Contains(c.Surface.OptIn, capabilityWebMCP) {
		cfg.Args = append(slices.Clip(cfg.Args), "--enable-features=WebMCP")
	}
	cfg.NoScriptAddresses = c.Surface.HasGates() && c.Surface.Withholds(vocabulary(), powerScript)
	return cfg
}

func (c Config) sealer() *seal.Sealer {
	if c.Passphrase == nil {
		return seal.New(seal.FromEnvironment)
	}
	return seal.New(c.Passphrase)
}

// directories opens the directory of files for the caller and the operator's roots of files that may
// be uploaded. Each session has a directory of its own below the first, but for the user of the
// profile where the operator has named the directory.
func (c Config) directories(dir statedir.Dir, user *profileUser) (*files.Dir, *files.Roots, error) {
	output, err := files.NewDir(cmp.Or(c.OutputDir, dir.Path("output")))
	if err != nil {
		return nil, nil, err
	}
	output = output.PerSession(func(id string) bool { return c.OutputDir != "" && user.is(id) })
	if c.Vault != nil {
		output = output.WithRedaction(c.Vault.RedactReader)
	}
	roots, err := files.NewRoots(c.FileRoots...)
	if err != nil {
		return nil, nil, err
	}
	return output, roots.WithOutput(output), nil
}
