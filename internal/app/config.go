package app

import (
	"cmp"
	"log/slog"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/tools/host"
)

// StdioSession is the id of the session that a client on standard input and output has.
const StdioSession = "stdio"

// Config is what an operator chooses. The zero value serves every tool of the default surface with
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
	// StateDir is the directory of everything that outlives a call; "" is the user's.
	StateDir string
	// OutputDir is where files for the caller go; "" is output in the state directory.
	OutputDir string
	// FileRoots are directories whose files may be uploaded, besides OutputDir.
	FileRoots []string
	// Vault holds the secrets that arguments may name; nil has none.
	Vault *secret.Vault
	// Passphrase returns the key of encrypted files; nil reads it from the environment.
	Passphrase func() (string, error)
	// NoJournal leaves out the journal of calls, NoHints the hints for agents that are stuck.
	NoJournal, NoHints bool
	// Layers are more layers around every call, innermost.
	Layers []toolkit.Middleware
	// SharedSession is the session that works with the cookies of the browser's profile; "" is
	// StdioSession.
	SharedSession string
	// Workflows are the workflows to offer as tools.
	Workflows Workflows
	// Reach is how other hosts connect to this server.
	Reach host.Reach
	// Backend is shared by several Apps of one process; nil has New make one, which Close ends.
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

// ownBrowser is the configuration of the server's own browser without what the layers above add to
// it.
func (c Config) ownBrowser() browser.Config {
	cfg := c.Browser
	cfg.Logger = c.logger()
	return cfg
}

func (c Config) sealer() *seal.Sealer {
	if c.Passphrase == nil {
		return seal.New(seal.FromEnvironment)
	}
	return seal.New(c.Passphrase)
}

// directories opens the directory of files for the caller and the roots of files that may be
// uploaded.
func (c Config) directories(dir statedir.Dir) (*files.Dir, *files.Roots, error) {
	output, err := files.NewDir(cmp.Or(c.OutputDir, dir.Path("output")))
	if err != nil {
		return nil, nil, err
	}
	if c.Vault != nil {
		output = output.WithRedaction(c.Vault.RedactReader)
	}
	roots, err := files.NewRoots(append([]string{output.Path()}, c.FileRoots...)...)
	return output, roots, err
}
