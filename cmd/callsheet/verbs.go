package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/internal/cli/caller"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// Flags that every verb has, and the session that is meant without one.
const (
	flagSession    = "session"
	defaultSession = "default"
)

// serves reports whether a command line serves, so that a server's start never pays for a tree of verbs. --session may
// stand before a verb, as it is a flag of both.
func serves(args []string) bool {
	if len(args) > 0 && strings.HasPrefix(args[0], "--"+flagSession) {
		name := 1
		if !strings.Contains(args[0], "=") {
			name = 2
		}
		args = args[min(name, len(args)):]
	}
	if len(args) == 0 || args[0] == "serve" {
		return true
	}
	return strings.HasPrefix(args[0], "-") && args[0] != "-h" && args[0] != "--help"
}

// verbs adds to the tree what the command line is about: one verb when it begins with that, so that a command starts as
// fast as it can, else everything, for help, completion and the nearest name.
func (p program) verbs(root *cobra.Command, first string) {
	commands := map[string]func() *cobra.Command{
		"tools": p.toolsCommand, "daemon": p.daemonCommand, "workflow": p.workflowCommand, "doctor": p.doctorCommand,
		"jobs": p.jobsCommand, "replay": p.replayCommand, "totp": p.totpCommand,
	}
	if command, ok := commands[first]; ok {
		root.AddCommand(command())
		return
	}
	table := cli.Verbs()
	if i := slices.IndexFunc(table, func(v cmdline.Verb) bool { return v.Name == first }); i >= 0 {
		table = table[i : i+1]
	} else {
		for _, name := range slices.Sorted(maps.Keys(commands)) {
			root.AddCommand(commands[name]())
		}
	}
	root.AddGroup(cmdline.Groups(table)...)
	for _, cmd := range cmdline.Build(table, p.call) {
		cmd.Flags().String(flagSession, defaultSession, "work in the tabs of this session `NAME`")
		root.AddCommand(cmd)
	}
}

// isSession reports whether a name is one that the server takes. No pattern is compiled for it: every start would pay.
func isSession(name string) bool {
	const others = "._-"
	strange := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r)
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, strange)
}

// call runs a verb: the daemon calls its tool, and the result is shown.
func (p program) call(ctx context.Context, cmd *cobra.Command, call cmdline.Call) error {
	session, err := cmd.Flags().GetString(flagSession)
	if err == nil && !isSession(session) {
		err = fmt.Errorf("--%s: a name is 1 to 64 of A-Z a-z 0-9 . _ -", flagSession)
	}
	if err != nil {
		return usageError{err}
	}
	conn, err := p.reach(ctx, call.Verb.Scope, "")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	errs := terminal.New(p.stderr)
	request := caller.Call{Tool: call.Verb.Tool, Args: call.Args, Session: session, Client: "callsheet", Version: version}
	if errs.Live() {
		request.Progress = func(at caller.Progress) { errs.Progress(at.Done, at.Total, at.Message) }
	}
	res, err := caller.Do(ctx, conn, request)
	errs.Done()
	if err != nil {
		return fmt.Errorf("%s: %w", call.Verb.Name, err)
	}
	return p.show(call, res, errs)
}

// show prints a result: for programs as the tool gave it, for people as text, tables and files.
func (p program) show(call cmdline.Call, res caller.Result, errs *terminal.Screen) error {
	out := terminal.New(p.stdout)
	if call.Out != "" && !res.Refused {
		if err := save(call.Out, res); err != nil {
			return err
		}
	}
	switch {
	case call.JSON && len(res.Structured) > 0:
		return errors.Join(out.Line(string(res.Structured)), refusal(res))
	case call.JSON:
		return errors.Join(out.Line(`{"content":`+string(res.RawContent)+`}`), refusal(res))
	case res.Refused:
		for _, c := range res.Content {
			if err := errs.Line("callsheet: " + errs.Style(terminal.Red, terminal.Plain(c.Text))); err != nil {
				return err
			}
		}
		return refusal(res)
	}
	if len(res.Structured) > 0 {
		if shown, err := out.Object(res.Structured); shown {
			return err
		}
	}
	for _, c := range res.Content {
		text := c.Text
		if c.Type != "text" {
			var err error
			if text, err = whereabouts(call.Out, c); err != nil {
				return err
			}
		}
		if err := out.Text(text); err != nil {
			return err
		}
	}
	return nil
}

// whereabouts says where the content of a file is: where the caller wanted it, or else where it is kept. What the daemon keeps in a
// directory of its own is known by its address.
func whereabouts(out string, c caller.Content) (string, error) {
	switch {
	case out != "":
		return out, nil
	case c.URI == "":
		return keep(c)
	}
	kept, err := stateAt("")
	if err != nil {
		return "", err
	}
	a, err := artifact.New(kept, 0).Get(strings.TrimPrefix(c.URI, artifact.Scheme))
	if errors.Is(err, fs.ErrNotExist) {
		return c.URI, nil
	}
	return a.Path(), err
}

// toolError is a refusal that has been shown.
type toolError struct{}

func (toolError) Error() string { return "the tool refused" }

func refusal(res caller.Result) error {
	if res.Refused {
		return toolError{}
	}
	return nil
}

// save writes the first picture or other file of a result where the caller wants it.
func save(path string, res caller.Result) error {
	for _, c := range res.Content {
		if c.Type == "text" {
			continue
		}
		if err := write(path, c); err != nil {
			return usageError{fmt.Errorf("write the picture: %w", err)}
		}
		return nil
	}
	return usageError{errors.New("--out: the result has no picture to write")}
}

// write makes a file of the caller's own, as by redirection.
func write(path string, c caller.Content) error {
	if c.URI == "" {
		return os.WriteFile(path, c.Data, 0o644)
	}
	kept, err := stateAt("")
	if err != nil {
		return err
	}
	_, from, err := artifact.New(kept, 0).Open(strings.TrimPrefix(c.URI, artifact.Scheme))
	if err != nil {
		return fmt.Errorf("the daemon keeps it elsewhere: %w", err)
	}
	defer func() { _ = from.Close() }() // reading handle: nothing is lost
	to, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// keep writes a picture that was asked for without a file into the state directory.
func keep(c caller.Content) (string, error) {
	kept, err := stateAt("")
	if err != nil {
		return "", err
	}
	dir, err := kept.Make("output")
	if err != nil {
		return "", err
	}
	_, kind, _ := strings.Cut(c.MIME, "/")
	if !isSession(kind) {
		kind = "bin"
	}
	f, err := os.CreateTemp(dir, "picture-*."+kind)
	if err != nil {
		return "", fmt.Errorf("keep the picture: %w", err)
	}
	_, err = f.Write(c.Data)
	return filepath.Clean(f.Name()), errors.Join(err, f.Close())
}
