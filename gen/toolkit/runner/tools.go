package runner

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/gen/toolkit/explore"
)

// SurfaceFlags adds the flags that choose the tools of a server. Each capability of optIns is off without
// the flag of its name.
func SurfaceFlags(f *pflag.FlagSet, opt *toolkit.Options, optIns ...string) {
	list := func(p *[]string, name, usage string) { f.Var(List(p), name, usage) }
	f.StringVar(&opt.Scope, "scope", "", "serve the tools of this scope `NAME`")
	f.StringVar(&opt.Profile, "profile", "", "serve the default scope as this profile `NAME` of the manifest shows it")
	list(&opt.ToolsOnly, "tools-only", "serve only these `CAPABILITIES`, comma-separated")
	list(&opt.DisableTools, "disable-tools", "serve all but these `CAPABILITIES`, comma-separated")
	list(&opt.Tools, "tools", "serve only these `TOOLS`, comma-separated, and list them all")
	list(&opt.ExcludeTools, "exclude-tools", "serve all but these `TOOLS`, comma-separated")
	list(&opt.DisableSurfaces, "disable-surfaces", "let no call do what belongs to these policy `SURFACES`, comma-separated")
	f.BoolVar(&opt.ReadOnly, "read-only", false, "serve only tools that change nothing")
	f.BoolVar(&opt.Slim, "slim", false, "serve the short list")
	f.BoolVar(&opt.AllTools, "all-tools", false, "list every tool from the start")
	for _, name := range optIns {
		f.BoolFunc(name, "serve the tools of capability "+name+", too", func(text string) error {
			on, err := strconv.ParseBool(text)
			opt.OptIn = slices.DeleteFunc(opt.OptIn, func(n string) bool { return n == name })
			if on {
				opt.OptIn = append(opt.OptIn, name)
			}
			return err
		})
	}
}

// List is the value of a flag that takes names, comma-separated and any number of times. An empty list is
// a mistake, such as an unset variable of a shell: taken for "no filter" it would open what it was to close.
func List(list *[]string) pflag.Value { return &names{list} }

// names is a list of names.
type names struct{ list *[]string }

// String returns the list as it is written.
func (n *names) String() string {
	if n.list == nil {
		return ""
	}
	return strings.Join(*n.list, ",")
}

// Set reads the list.
func (n *names) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return errors.New("a name is missing")
		}
		if !slices.Contains(*n.list, name) {
			*n.list = append(*n.list, name)
		}
	}
	return nil
}

// Type names the value in help.
func (*names) Type() string { return "csv" }

// toolsCommand shows what a server with the same flags lists.
func (p *Program) toolsCommand() *cobra.Command {
	var opt toolkit.Options
	var scenario string
	var asJSON, states bool
	cmd := &cobra.Command{
		Use: "tools", Short: "Show what is listed under any flags and in any state, and why the rest is not", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			surface, closing, err := p.Open(cmd.Context(), opt)
			if err != nil {
				return &command.UsageError{Message: err.Error()}
			}
			if closing != nil {
				defer func() { err = errors.Join(err, closing()) }()
			}
			var facts toolkit.Facts
			if scenario != "" {
				if facts, err = surface.Registry().Scenario(scenario); err != nil {
					return &command.UsageError{Message: "--scenario: " + err.Error()}
				}
			}
			if states {
				return writeStates(cmd.OutOrStdout(), surface.Registry(), opt)
			}
			if asJSON {
				return WriteJSON(cmd.OutOrStdout(), surface.Rows(facts))
			}
			return WriteTable(cmd.OutOrStdout(), surface.Rows(facts))
		},
	}
	SurfaceFlags(cmd.Flags(), &opt, p.OptIns...)
	cmd.Flags().StringVar(&scenario, "scenario", "", "show the state of this `SCENARIO` of the manifest")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	cmd.Flags().BoolVar(&states, "states", false, "print every scenario of the manifest with its list, as JSON")
	cmd.MarkFlagsMutuallyExclusive("states", "scenario")
	return cmd
}

// writeStates prints the report of a registry in every state.
func writeStates(w io.Writer, reg *toolkit.Registry, opt toolkit.Options) error {
	report, err := explore.Describe(reg, explore.Options{Options: opt})
	if err != nil {
		return &command.UsageError{Message: err.Error()}
	}
	return json.NewEncoder(w).Encode(report)
}
