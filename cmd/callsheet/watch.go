package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/slicesx"
	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/internal/cli/mcpclient"
	"github.com/callsheet/callsheet/internal/cli/terminal"
)

const flagWatch = "watch"

func watchFlag(f *pflag.FlagSet) { f.Bool(flagWatch, false, "show each change until interrupted") }

// watchInterval is the time between two looks at what sends no notifications.
const watchInterval = time.Second

// watch runs show until ctx ends, which is no error, and prints what it shows each time that differs
// from the time before. On a terminal, it replaces the frame before.
func (p program) watch(ctx context.Context, show func(p program) error) error {
	screen := terminal.New(p.stdout)
	var before []byte
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for first := true; ; first = false {
		var now bytes.Buffer
		once := p
		once.stdout = &now
		if err := show(once); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if first || !bytes.Equal(now.Bytes(), before) {
			if err := screen.Frame(now.String(), first); err != nil {
				return err
			}
			before = now.Bytes()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// watchVerb runs a verb again and again.
func (p program) watchVerb(ctx context.Context, cmd *cobra.Command, call cmdline.Call) error {
	call.Watch = false
	return p.watch(ctx, func(p program) error { return p.callVerb(ctx, cmd, call) })
}

// watchList prints how the list of a session in the daemon changes.
func (v toolsVerb) watchList(ctx context.Context, session string) error {
	conn, err := connectDaemon(ctx, v.cfg.Surface.Scope, session)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	out := terminal.New(v.stdout)
	verbs := cli.Verbs()
	join := verbs[slices.IndexFunc(verbs, func(v cmdline.Verb) bool { return v.Watch })].Tool // the manifest has one
	var before []mcpclient.ListedTool
	first := true
	show := func(list []mcpclient.ListedTool) error {
		total := len("[]") + max(0, len(list)-1)
		for _, t := range list {
			total += t.Bytes
		}
		if v.asJSON {
			return v.printListJSON(list, total)
		}
		if !first {
			if err := showChanges(out, before, list); err != nil {
				return err
			}
		}
		before, first = list, false
		return out.Line(fmt.Sprintf("%d tools are listed, in %d bytes", len(list), total))
	}
	return mcpclient.Watch{Client: "callsheet", Version: version, Join: join, Show: show}.Run(ctx, conn)
}

func showChanges(out *terminal.Screen, before, now []mcpclient.ListedTool) error {
	missing := func(list []mcpclient.ListedTool, name string) bool {
		return !slices.ContainsFunc(list, func(t mcpclient.ListedTool) bool { return t.Name == name })
	}
	for _, t := range now {
		if missing(before, t.Name) {
			if err := out.Line(fmt.Sprintf("+ %s, %d bytes", t.Name, t.Bytes)); err != nil {
				return err
			}
		}
	}
	for _, t := range before {
		if missing(now, t.Name) {
			if err := out.Line(out.Style(terminal.Dim, fmt.Sprintf("- %s, %d bytes", t.Name, t.Bytes))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v toolsVerb) printListJSON(list []mcpclient.ListedTool, total int) error {
	type tool struct {
		Name  string `json:"name"`
		Bytes int    `json:"bytes"`
	}
	tools := slicesx.List(list, func(t mcpclient.ListedTool) tool { return tool(t) })
	return json.NewEncoder(v.stdout).Encode(map[string]any{"tools": tools, "bytes": total})
}
