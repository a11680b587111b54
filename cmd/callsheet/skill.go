package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/generated/metadata"
	"github.com/callsheet/callsheet/internal/cli/edit"
	"github.com/callsheet/callsheet/internal/cli/exit"
)

// skillCommand prints the skill that tells an agent with a shell how to use the verbs.
func (p program) skillCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "skill", Short: "Print the skill that tells an agent with a shell how to use the verbs", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := p.stdout.Write([]byte(metadata.Skill()))
			return err
		},
	}
	cmd.AddCommand(p.installSkill())
	return cmd
}

func (p program) installSkill() *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use: "install [DIR]", Short: "Show how the skill would change a project, and with --write put it there",
		Long: "The skill goes to .claude/skills/" + metadata.Program + "/SKILL.md below DIR, which is this directory when it is left out. For the skills of\n" +
			"all projects, give your home directory.",
		Example: "  callsheet skill install --write", Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return oneArgument("one directory")(cmd, args)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			change, err := edit.Read(filepath.Join(dir, ".claude", "skills", metadata.Program, "SKILL.md"))
			if err != nil {
				return exit.Misuse(err)
			}
			change.After = []byte(metadata.Skill())
			return p.apply(change, write)
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "write the file")
	return cmd
}

// apply makes a change, or shows it.
func (p program) apply(change edit.Change, write bool) error {
	switch {
	case change.IsEmpty():
		return p.printLine("%s is up to date", change.Path)
	case !write:
		_, err := p.stdout.Write([]byte(change.Diff()))
		if err != nil {
			return err
		}
		return p.printLine("nothing is written yet: --write does it")
	}
	backup, err := change.Write()
	if err != nil {
		return exit.Misuse(err)
	}
	if backup != "" {
		return p.printLine("wrote %s; what it was is in %s", change.Path, backup)
	}
	return p.printLine("wrote %s", change.Path)
}
