package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
)

// toolsCommand shows what a server with the same flags would list, and why it would not list the
// rest.
func (p program) toolsCommand() *cobra.Command {
	var cfg config
	var scenario string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "tools", Short: "Show what is listed under any flags and in any state, and why the rest is not",
		Example: "  callsheet tools --tools-only core,debugger --scenario paused", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			built, err := p.build(cfg, slog.New(slog.DiscardHandler))
			if err != nil {
				return usageError{err}
			}
			var facts toolkit.Facts
			if scenario != "" {
				if facts, err = built.Surface.Registry().Scenario(scenario); err != nil {
					return usageError{fmt.Errorf("--scenario: %w", err)}
				}
			}
			rows := built.Surface.Rows(facts)
			if asJSON {
				return p.toolsJSON(rows)
			}
			return p.toolsTable(rows)
		},
	}
	cfg.surfaceFlags(cmd.Flags())
	configFlags(cmd.Flags())
	cmd.Flags().StringVar(&scenario, "scenario", "", "show the state of this `SCENARIO` of the manifest")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func (p program) toolsJSON(rows []toolkit.Row) error {
	type row struct {
		Name       string `json:"name"`
		Capability string `json:"capability"`
		Tier       int    `json:"tier"`
		Bytes      int    `json:"bytes"`
		Listed     bool   `json:"listed"`
		Why        string `json:"why,omitempty"`
	}
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = row{r.Tool.Name, r.Tool.Capability, r.Tool.Tier, r.Bytes, r.Listed, r.Reason}
	}
	return json.NewEncoder(p.stdout).Encode(map[string][]row{"tools": out})
}

func (p program) toolsTable(rows []toolkit.Row) error {
	screen := terminal.New(p.stdout)
	cells := make([][]string, len(rows))
	listed, bytes := 0, len("[]")
	for i, r := range rows {
		cells[i] = []string{r.Tool.Name, r.Tool.Capability, strconv.Itoa(r.Tool.Tier), strconv.Itoa(r.Bytes), r.Reason}
		if r.Listed {
			cells[i][4] = "listed"
			listed++
			bytes += r.Bytes + len(",")
		}
	}
	bytes -= min(listed, 1) // one comma less than tools
	if err := screen.Table([]string{"tool", "capability", "tier", "bytes", ""}, cells); err != nil {
		return err
	}
	return screen.Line(fmt.Sprintf("%d of %d tools are listed, in %d bytes", listed, len(rows), bytes))
}
