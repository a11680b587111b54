package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// Runner runs a parsed command line. Cmd gives it the streams and the program's own flags.
type Runner func(ctx context.Context, cmd *cobra.Command, call Call) error

// Build makes a command of each verb. Mistakes in how they are used come back as *UsageError, and
// run is not called.
func Build(verbs []Verb, run Runner) []*cobra.Command {
	out := make([]*cobra.Command, len(verbs))
	for i := range verbs {
		out[i] = build(&verbs[i], run)
	}
	return out
}

// Groups lists the headings of a table in the order they first occur.
func Groups(verbs []Verb) []*cobra.Group {
	var out []*cobra.Group
	seen := make(map[string]bool)
	for _, v := range verbs {
		if v.Group != "" && !seen[v.Group] {
			seen[v.Group] = true
			out = append(out, &cobra.Group{ID: v.Group, Title: v.Group + ":"})
		}
	}
	return out
}

func build(v *Verb, run Runner) *cobra.Command {
	cmd := &cobra.Command{
		Use: v.Usage(), Short: strings.TrimSuffix(v.Short, "."), Long: v.Short, GroupID: v.Group, Example: indent(v.Example),
		DisableFlagsInUseLine: true, SilenceErrors: true, SilenceUsage: true,
	}
	f := declare(v, cmd.Flags(), false)
	for _, val := range f.flags {
		complete := cobra.NoFileCompletions
		if len(val.param.Enum) > 0 {
			complete = cobra.FixedCompletions(val.param.Enum, cobra.ShellCompDirectiveNoFileComp)
		}
		_ = cmd.RegisterFlagCompletionFunc(val.param.Name, complete) // fails only for a flag that is not there
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return Explain(cmd.Flags(), err) })
	cmd.ValidArgsFunction = func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(given) < len(v.Args) {
			return v.Args[len(given)].Enum, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		call, err := f.call(words)
		if err != nil {
			return err
		}
		return run(cmd.Context(), cmd, call)
	}
	return cmd
}

// Usage is the verb with its arguments, such as "type <ref> --text string".
func (v *Verb) Usage() string {
	words := []string{v.Name}
	for _, p := range v.Args {
		if p.Required {
			words = append(words, "<"+p.Name+">")
			continue
		}
		words = append(words, "[<"+p.Name+">]")
	}
	optional := v.Save || v.Watch
	for i := range v.Flags {
		p := &v.Flags[i]
		if !p.Required {
			optional = true
			continue
		}
		words = append(words, "--"+p.Name+" <"+(&value{param: p}).Type()+">")
	}
	if optional {
		words = append(words, "[flags]")
	}
	return strings.Join(words, " ")
}

func indent(example string) string {
	if example == "" {
		return ""
	}
	return "  " + example
}
