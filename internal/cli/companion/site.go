package companion

import (
	"bytes"
	"context"
	"errors"
	"strings"
)

// Command is a command of the program Site.
type Command struct{ Use, Short string }

// Name returns the first word of the usage.
func (c Command) Name() string { name, _, _ := strings.Cut(c.Use, " "); return name }

// The commands of the program Site. The help of callsheet lists them, whether or not the program is there.
var (
	SiteNew     = Command{"new DIR", "Write the first files of a site"}
	SiteCompile = Command{"compile DIR", "Check a site, and write the file that callsheet serves: names, steps, facts, and every state that its pages can be in"}
	SiteRecord  = Command{"record DIR TOOL", "Make a tool of a site out of two or more recordings of one task"}
	SiteImport  = Command{"import DIR", "Make tools of a site out of an archive of requests, the tools of its pages, or workflows"}
	SiteCheck   = Command{"check DIR [TOOL...]", "Run every tool of a site with its examples, and report where the site has drifted"}
)

// SiteCommands lists the commands of the program Site.
func SiteCommands() []Command {
	return []Command{SiteNew, SiteCompile, SiteRecord, SiteImport, SiteCheck}
}

// CompileSite compiles the site of a directory by the program Site. The error has what the program says of the site.
func CompileSite(ctx context.Context, dir string) error {
	var said bytes.Buffer
	err := Run(ctx, Site, []string{"compile", dir}, Streams{Out: &said, Err: &said})
	var missing *MissingError
	if err == nil || errors.As(err, &missing) || said.Len() == 0 {
		return err
	}
	return errors.New(strings.TrimRight(said.String(), "\n"))
}
