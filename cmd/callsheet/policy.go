package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/policy"
)

// policyVerbs are the commands about policy files.
type policyVerbs struct{ program }

// policyCommand checks and explains the file that --policy names.
func (p program) policyCommand() *cobra.Command {
	v := policyVerbs{p}
	cmd := &cobra.Command{
		Use: "policy", Short: "Check what an operator allows, and explain which rule decides",
	}
	cmd.AddCommand(
		&cobra.Command{Use: "check FILE", Short: "Find the mistakes of a policy file", Args: oneArgument("a policy file"),
			RunE: func(_ *cobra.Command, args []string) error { return v.check(args[0]) }},
		v.explainCommand(),
		&cobra.Command{Use: "init", Short: "Print a policy file to begin with", Args: noArguments,
			RunE: func(*cobra.Command, []string) error {
				_, err := p.stdout.Write(policy.Example())
				return err
			}},
	)
	return cmd
}

// oneArgument wants one argument.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return exit.Misuse(fmt.Errorf("%s takes %s", cmd.Name(), what))
	}
}

func (v policyVerbs) check(path string) error {
	file, err := policy.Load(path, app.PolicyVocabulary())
	if err != nil {
		return exit.Misuse(err)
	}
	if err := file.Diags.Sorted().Fprint(v.stdout, "text", file.Source); err != nil {
		return err
	}
	if file.Diags.HasErrors() {
		return exit.RefusedError{}
	}
	return v.printLine("%s is a valid policy", path)
}

func (v policyVerbs) explainCommand() *cobra.Command {
	var path string
	var q policy.Question
	cmd := &cobra.Command{Use: "explain URL", Short: "Say what a policy decides about an address, and which line decides", Args: oneArgument("a URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := app.LoadPolicy(path)
			if err != nil {
				return exit.Misuse(err)
			}
			q.URL = args[0]
			unchecked := q.Unchecked()
			if unchecked != "" && q.Workflow != "" && q.Tool != "" {
				return exit.Misuse(errors.New("explain --tool or --workflow, not both"))
			}
			if unchecked == "" {
				q.Powers, err = app.PowersOf(q.Tool, q.Powers)
			} else {
				_, err = app.PowersOf("", q.Powers)
			}
			if err != nil {
				return exit.Misuse(err)
			}
			if policy.Origin(q.URL) == "" {
				return exit.Misuse(fmt.Errorf("%q is not an address; write https://host/path", q.URL))
			}
			if err := v.printLine("origin %s", policy.Origin(q.URL)); err != nil {
				return err
			}
			return v.printExplanations(loaded.Explain(cmd.Context(), q), unchecked)
		}}
	cmd.Flags().StringVar(&path, "policy", "", "the policy `FILE`; without it the default is explained")
	cmd.Flags().StringVar(&q.Tool, "tool", "", "explain a call of this `TOOL` on the address, too; SERVER:TOOL is that of a workflow's step")
	cmd.Flags().StringVar(&q.Workflow, "workflow", "", "explain a call of this `WORKFLOW` on the address, too")
	cmd.Flags().StringSliceVar(&q.Powers, "power", nil, "explain a call that uses this `POWER`, too; with --tool, of its powers only this one")
	return cmd
}

// printExplanations prints decisions, and what is not known of the call.
func (v policyVerbs) printExplanations(list []policy.Explanation, unchecked string) error {
	for _, e := range list {
		if err := v.printLine("%s: %s\n  %s", e.About, e.Verdict, strings.TrimSpace(e.Rule.String()+"\n  "+e.Remedy)); err != nil {
			return err
		}
	}
	if unchecked == "" {
		return nil
	}
	return v.printLine("not checked: %s", unchecked)
}
