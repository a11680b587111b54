package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/metadata"
	"github.com/callsheet/callsheet/internal/cli/clients"
	"github.com/callsheet/callsheet/internal/cli/configfile"
	"github.com/callsheet/callsheet/internal/cli/edit"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/installation"
	"github.com/callsheet/callsheet/internal/cli/terminal"
)

// installOptions are the flags of install.
type installOptions struct{ write, project, remove, npx bool }

// installVerb is the command install with its flags.
type installVerb struct {
	program
	installOptions

	flags []string // of the server
}

// installCommand shows or changes the configuration of clients.
func (p program) installCommand() *cobra.Command {
	v := installVerb{program: p}
	cmd := &cobra.Command{
		Use: "install [CLIENT…] [-- FLAG…]", Short: "Show how the configuration of MCP clients would change, and with --write change it",
		Long: "Without a client, it lists those that it knows, which are there, and their files. With --write, a copy of each changed\n" +
			"file stays beside it. What stands after -- is given to the server. Comments, other servers and the format of a file stay as they are.",
		Example: "  callsheet install claude-code cursor --write\n  callsheet install cursor --write -- --policy policy.yaml --headless",
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				given, err := serverFlags(args[n:])
				if err != nil {
					return exit.Misuse(err)
				}
				v.flags, args = given, args[:n]
			}
			if len(args) == 0 {
				return v.list()
			}
			return v.run(args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return clientNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := cmd.Flags()
	f.BoolVar(&v.write, "write", false, "change the files")
	f.BoolVar(&v.project, "project", false, "the configuration of the project in this directory, not that of the user")
	f.BoolVar(&v.remove, "remove", false, "take the server out")
	f.BoolVar(&v.npx, "npx", false, "have clients start the package from npm, not this program")
	return cmd
}

func clientNames() []string {
	return slicesx.Map(clients.All(), func(c clients.Client) string { return c.Name })
}

// file is the configuration that the options mean; "" when the client has none of the kind.
func (o installOptions) file(c clients.Client) string {
	if o.project {
		return c.Project
	}
	return c.User
}

// list prints a table of the clients.
func (v installVerb) list() error {
	entry, err := v.serverEntry()
	if err != nil {
		return err
	}
	var rows [][]string
	for _, c := range clients.All() {
		present := "no"
		if c.IsPresent() {
			present = "yes"
		}
		path := v.file(c)
		rows = append(rows, []string{c.Name, present, clientState(c, path, entry), path})
	}
	return terminal.New(v.stdout).Table([]string{"client", "present", "callsheet", "file"}, rows)
}

// clientState says in a word what a client's file has of the server.
func clientState(c clients.Client, path string, entry clients.Entry) string {
	if path == "" {
		return "-"
	}
	change, err := edit.Read(path)
	if err != nil {
		return "unreadable"
	}
	removed, err := c.Remove(change.Before, metadata.Program)
	if err != nil {
		return "malformed"
	}
	set, err := c.Set(change.Before, metadata.Program, entry)
	switch {
	case string(removed) == string(change.Before):
		return "no"
	case err != nil || string(set) != string(change.Before):
		return "differs"
	default:
		return "yes"
	}
}

// run changes the files of the clients, or shows how. All are read before one is written.
func (v installVerb) run(names []string) error {
	entry, err := v.serverEntry()
	if err != nil {
		return err
	}
	var changes []edit.Change
	var problems []error
	for _, name := range names {
		change, err := clientChange(name, v.installOptions, entry)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		changes = append(changes, change)
	}
	if len(problems) > 0 {
		return exit.Misuse(errors.Join(problems...))
	}
	for _, change := range changes {
		if err := v.apply(change, v.write); err != nil {
			return err
		}
	}
	return nil
}

// clientChange is the change of a client's configuration.
func clientChange(name string, opt installOptions, entry clients.Entry) (edit.Change, error) {
	var client clients.Client
	for _, c := range clients.All() {
		if c.Name == name {
			client = c
		}
	}
	if client.Name == "" {
		return edit.Change{}, fmt.Errorf("unknown client %q%s; the clients are %s", name, exit.Suggest(name, clientNames(), ""), strings.Join(clientNames(), ", "))
	}
	path := opt.file(client)
	if path == "" {
		if opt.project {
			return edit.Change{}, fmt.Errorf("%s has no configuration of a project", client.Title)
		}
		return edit.Change{}, errors.New("the home directory is unknown")
	}
	change, err := edit.Read(path)
	if err != nil {
		return edit.Change{}, err
	}
	if opt.remove {
		change.After, err = client.Remove(change.Before, metadata.Program)
	} else {
		change.After, err = client.Set(change.Before, metadata.Program, entry)
	}
	if err != nil {
		return edit.Change{}, fmt.Errorf("%s:%w", path, err)
	}
	return change, nil
}

// serverEntry is how clients start this server: what is compiled for them where it comes from npm, else
// the program that runs now.
func (v installVerb) serverEntry() (clients.Entry, error) {
	entry, err := programEntry(v.npx)
	entry.Args = append(entry.Args, v.flags...)
	return entry, err
}

// serverFlags checks flags of a server, and makes their paths absolute: clients start it in directories of their own.
func serverFlags(args []string) (given []string, err error) {
	var cfg config
	flags := pflag.NewFlagSet("callsheet", pflag.ContinueOnError)
	cfg.Flags(flags)
	err = flags.ParseAll(joinOptionalValue(args), func(f *pflag.Flag, value string) error {
		value, err := configfile.Absolute(f, value)
		given = append(given, "--"+f.Name+"="+value)
		return errors.Join(err, flags.Set(f.Name, value))
	})
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if err != nil {
		return nil, fmt.Errorf("after --, the flags of callsheet serve are expected: %w", err)
	}
	return given, nil
}

// programEntry is how clients start this program without flags: from npm in this version, or for a development build in
// that of the last release.
func programEntry(npx bool) (clients.Entry, error) {
	exe, err := executable()
	if err != nil {
		return clients.Entry{}, err
	}
	if !npx && installation.Of(exe, "/", metadata.Program) != installation.NPM {
		return clients.Entry{Command: exe}, nil
	}
	var compiled struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(metadata.MCPServers()), &compiled); err != nil {
		return clients.Entry{}, fmt.Errorf("read the compiled configuration: %w", err)
	}
	entry := clients.Entry(compiled.Servers[metadata.Program])
	for i, arg := range entry.Args {
		if strings.HasPrefix(arg, metadata.NPM+"@") && semver.IsValid("v"+version) {
			entry.Args[i] = metadata.NPM + "@" + version
		}
	}
	return entry, nil
}

// executable is the path of this program, without symbolic links.
func executable() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		return real, nil
	}
	return exe, nil
}
