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

	"github.com/callsheet/callsheet/gen/toolkit"
	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/localfile"
	"github.com/callsheet/callsheet/internal/cli/mcpclient"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// defaultSession is the session of a verb without options.FlagSession.
const defaultSession = "default"

// isServing reports whether a command line serves, so that a server's start never pays for a tree
// of verbs. --session may stand before a verb, as it is a flag of both.
func isServing(args []string) bool {
	if len(args) > 0 && strings.HasPrefix(args[0], "--"+options.FlagSession) {
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

// addVerbs adds to the tree what the command line is about: one verb when it begins with that, so
// that a command starts as fast as it can, else everything, for help, completion and the nearest
// name.
func (p program) addVerbs(root *cobra.Command, first string) {
	commands := map[string]func() *cobra.Command{
		"tools": p.toolsCommand, "daemon": p.daemonCommand, "workflow": p.workflowCommand, "site": p.siteCommand, "doctor": p.doctorCommand,
		"jobs": p.jobsCommand, "policy": p.policyCommand, "replay": p.replayCommand, "token": p.tokenCommand, "totp": p.totpCommand, "config": p.configCommand,
		"attach": p.attachCommand, "detach": p.detachCommand, "extension": p.extensionCommand, "extension-host": p.extensionHostCommand,
		"record": p.recordCommand, "skill": p.skillCommand, "install": p.installCommand, "upgrade": p.upgradeCommand, "ui": p.uiCommand, "state": p.stateCommand, "browser": p.browserCommand, "webmcp": p.webmcpCommand,
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
	for _, cmd := range cmdline.Build(table, p.callVerb) {
		cmd.Flags().String(options.FlagSession, defaultSession, "work in the tabs of this session `NAME`")
		root.AddCommand(cmd)
	}
}

// callVerb runs a verb: the daemon calls its tool, and the result is shown.
func (p program) callVerb(ctx context.Context, cmd *cobra.Command, call cmdline.Call) error {
	if call.Watch {
		return p.watchVerb(ctx, cmd, call)
	}
	session, err := cmd.Flags().GetString(options.FlagSession)
	if err == nil && !options.IsSession(session) {
		err = fmt.Errorf("--%s: a name is 1 to 64 of A-Z a-z 0-9 . _ -", options.FlagSession)
	}
	if err != nil {
		return exit.Misuse(err)
	}
	file, err := sessionFileOf(&call)
	if err != nil {
		return err
	}
	conn, err := connectDaemon(ctx, call.Verb.Scope, "")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	errs := terminal.New(p.stderr)
	request := mcpclient.Call{Tool: call.Verb.Tool, Args: localfile.Resolve(call.Args, "url"), Session: session, Client: "callsheet", Version: version}
	if errs.IsTerminal() {
		request.Progress = errs.Progress
	}
	prompt := terminal.NewPrompt(p.stdin, p.stderr)
	if prompt != nil {
		request.Ask = func(ctx context.Context, q mcpclient.Question) (mcpclient.Reply, error) {
			errs.ClearProgress()
			values, accepted, err := prompt.Ask(ctx, q.Message, q.Schema)
			return mcpclient.Reply{Action: promptAction(accepted), Content: values}, err
		}
	}
	res, err := mcpclient.CallTool(ctx, conn, request)
	errs.ClearProgress()
	if err != nil {
		return fmt.Errorf("%s: %w", call.Verb.Name, err)
	}
	if err := file.move(&res); err != nil {
		return exit.Misuse(fmt.Errorf("write the file of the result: %w", err))
	}
	err = p.show(call, res, errs)
	if prompt == nil && res.Code() == string(codes.ConfirmationRequired) {
		_ = errs.Line("callsheet: on a terminal, this command asks you") // the refusal follows
	}
	return err
}

// promptAction is the action of a reply in the words of the protocol.
func promptAction(accepted bool) string {
	if accepted {
		return toolkit.Accept
	}
	return toolkit.Decline
}

// show prints a result: for programs as the tool gave it, for people as text, tables and files.
func (p program) show(call cmdline.Call, res mcpclient.Result, errs *terminal.Screen) error {
	out := terminal.New(p.stdout)
	if call.Out != "" && !res.Refused {
		if err := saveFirstFile(call.Out, res); err != nil {
			return err
		}
	}
	switch {
	case call.JSON && len(res.Structured) > 0:
		before, after := notices(res)
		return errors.Join(out.Line(string(res.Structured)), showTexts(errs, append(before, after...)), refusal(res))
	case call.JSON:
		return errors.Join(out.Line(`{"content":`+string(res.RawContent)+`}`), refusal(res))
	case res.Refused:
		for _, c := range res.Content {
			if err := errs.Line("callsheet: " + errs.Style(terminal.Red, terminal.Plain(cmdline.InVerbs(cli.Verbs(), "callsheet", call.Verb, c.Text)))); err != nil {
				return err
			}
		}
		return refusal(res)
	}
	if before, after := notices(res); len(res.Structured) > 0 {
		err := showTexts(out, before)
		if shown, objectErr := out.Object(res.Structured); shown {
			return errors.Join(err, objectErr, showTexts(out, after))
		}
	}
	for _, c := range res.Content {
		text := c.Text
		if c.Type != "text" {
			var err error
			if text, err = contentPath(call.Out, c); err != nil {
				return err
			}
		}
		if err := out.Text(text); err != nil {
			return err
		}
	}
	return nil
}

// notices returns the texts before and after the one of the tool, which says the structured content in words or once more.
func notices(res mcpclient.Result) (before, after []string) {
	found := false
	for _, c := range res.Content {
		switch {
		case c.Type != "text":
		case !found && !strings.HasPrefix(c.Text, toolkit.SinceLast):
			found = true
		case found:
			after = append(after, c.Text)
		default:
			before = append(before, c.Text)
		}
	}
	return before, after
}

func showTexts(screen *terminal.Screen, texts []string) error {
	for _, text := range texts {
		if err := screen.Text(text); err != nil {
			return err
		}
	}
	return nil
}

// contentPath says where the content of a file is: where the caller wanted it, or else where it is
// kept. What the daemon keeps in a directory of its own is known by its address.
func contentPath(out string, c mcpclient.Content) (string, error) {
	switch {
	case out != "":
		return out, nil
	case c.URI == "":
		return saveToState(c)
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

func refusal(res mcpclient.Result) error {
	if res.Refused {
		return exit.RefusedError{}
	}
	return nil
}

// saveFirstFile writes the first picture or other file of a result where the caller wants it.
func saveFirstFile(path string, res mcpclient.Result) error {
	for _, c := range res.Content {
		if c.Type == "text" {
			continue
		}
		if err := writeContent(path, c); err != nil {
			return exit.Misuse(fmt.Errorf("write the file of the result: %w", err))
		}
		return nil
	}
	return exit.Misuse(errors.New("--out: the result has no picture or other file"))
}

// writeContent makes a file of the caller's own, as by redirection.
func writeContent(path string, c mcpclient.Content) error {
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

// saveToState writes a picture that was asked for without a file into the state directory.
func saveToState(c mcpclient.Content) (string, error) {
	kept, err := stateAt("")
	if err != nil {
		return "", err
	}
	dir, err := kept.Make("output")
	if err != nil {
		return "", err
	}
	_, kind, _ := strings.Cut(c.MIME, "/")
	if !options.IsSession(kind) {
		kind = "bin"
	}
	f, err := os.CreateTemp(dir, "picture-*."+kind)
	if err != nil {
		return "", fmt.Errorf("keep the picture: %w", err)
	}
	_, err = f.Write(c.Data)
	return filepath.Clean(f.Name()), errors.Join(err, f.Close())
}
