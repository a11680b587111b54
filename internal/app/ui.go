package app

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/ui"
	"github.com/callsheet/callsheet/internal/ui/jobview"
	"github.com/callsheet/callsheet/internal/ui/journalview"
	"github.com/callsheet/callsheet/internal/ui/live"
	"github.com/callsheet/callsheet/internal/ui/recordingview"
	"github.com/callsheet/callsheet/internal/ui/surfaceview"
	"github.com/callsheet/callsheet/internal/ui/takeover"
	"github.com/callsheet/callsheet/internal/ui/watch"
	"github.com/callsheet/callsheet/tools/recording"
)

// UI returns a server of the pages by which a person watches this App and takes over. It starts nothing.
func (a *App) UI(opt ui.Options) *ui.Server {
	opt.Version = a.version
	a.Control.Enable()
	return ui.New(opt, watch.View(watch.Source{
		Sessions: a.Connections, Hub: a.Live, Screencasts: a.Screencasts, History: a.callsBefore,
	}), takeover.View(a.Control), surfaceview.View(a.Surface), journalview.View(a.journal), jobview.View(jobview.Source{Jobs: a.jobs.Jobs, Redact: a.redact}),
		recordingview.View(recordingview.Source{Archive: a.recorder.Archive(), Artifact: recording.Artifacts(a.Artifacts), Begin: a.beginReplay, Ending: a.ending}))
}

// replaySession is the session of the replays that a person starts.
const replaySession = "ui-replay"

// beginReplay begins the session of a replay, which the person who starts it is the operator of.
func (a *App) beginReplay() recordingview.Stage {
	return recordingview.Stage{
		Session: replaySession, Player: replay.ForSession(a.Surface.NewStaticSession(replaySession), a.Session(replaySession)),
		Window: power.NewWindow(operator.Grant("ui")), End: func() { a.EndSession(replaySession) },
	}
}

// historyLength is how many calls of the journal a person sees of a session.
const historyLength = 100

// callsBefore returns the last calls of a session from the journal.
func (a *App) callsBefore(ctx context.Context, session string) ([]live.Call, error) {
	if a.journal == nil || session == "" {
		return nil, nil
	}
	entries, err := a.journal.Recent(ctx, journal.Query{Session: session, Limit: historyLength})
	if err != nil {
		return nil, err
	}
	out := make([]live.Call, 0, len(entries))
	for _, e := range entries {
		c := live.Call{
			Session: e.Session, Tool: e.Tool, StartedAt: e.StartedAt, Ended: true, Duration: e.Duration.Milliseconds(),
			Arguments: live.Arguments{Text: e.Args},
		}
		if e.Outcome != "ok" {
			c.Code = e.Outcome
		}
		out = append(out, c)
	}
	return out, nil
}

// describeForWatcher returns the function that describes the arguments of a call to a person who watches:
// what a policy question would show, and the refs and the tab among them.
func describeForWatcher(vault *secret.Vault) func(string, []byte) live.Arguments {
	return func(tool string, args []byte) live.Arguments {
		out := live.Arguments{Text: vault.Redact(describeRoles(toolset.TraitsOf(tool), args))}
		var in map[string]any
		if json.Unmarshal(args, &in) != nil {
			return out
		}
		roles := argument.Roles(tool, in)
		for pointer, role := range roles {
			text, _ := argument.ValueAt(in, pointer).(string)
			switch role {
			case toolset.RoleRef:
				out.Refs = append(out.Refs, text)
			case toolset.RoleTab:
				out.Tab = cmp.Or(out.Tab, text)
			}
		}
		slices.Sort(out.Refs)
		return out
	}
}
