// Package tools joins the handlers of every area.
//
// It is the one place that knows them all; it must hold no behaviour.
package tools

import (
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/answer"
	"github.com/callsheet/callsheet/internal/browser"
	"github.com/callsheet/callsheet/internal/files"
	"github.com/callsheet/callsheet/tools/act"
	"github.com/callsheet/callsheet/tools/connection"
	"github.com/callsheet/callsheet/tools/debugger"
	"github.com/callsheet/callsheet/tools/page"
	"github.com/callsheet/callsheet/tools/profile"
	"github.com/callsheet/callsheet/tools/storage"
	"github.com/callsheet/callsheet/tools/surface"
	"github.com/callsheet/callsheet/tools/tabs"
)

// New gives each area what it works with.
func New(b *browser.Browser, sessions answer.Sessions, output *files.Dir) toolset.Handlers {
	return toolset.Compose(
		act.New(sessions),
		connection.New(sessions, output),
		debugger.New(sessions.Debugger),
		page.New(sessions, output),
		profile.New(b),
		storage.New(sessions),
		surface.Tools{},
		tabs.New(sessions),
	)
}
