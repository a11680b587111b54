package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/user"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/slicesx"
	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/webmcp/lock"
)

// webmcpVerbs are the commands about the tools of pages.
type webmcpVerbs struct {
	program

	at *pageQuery
}

// webmcpCommand shows the tools that the page in the current tab offers, calls them, and keeps what a person
// allows of them.
func (p program) webmcpCommand() *cobra.Command {
	var at pageQuery
	v := webmcpVerbs{program: p, at: &at}
	cmd := &cobra.Command{
		Use: "webmcp", Short: "Tools of the page in the current tab: list and call them, and lock what you allow",
		Long: "A page can offer tools of its own (WebMCP). These commands show those of the current tab of a session, call them,\n" +
			"and compare them with the lock of what you have allowed. The daemon needs --webmcp.",
	}
	f := cmd.PersistentFlags()
	f.StringVar(&at.session, options.FlagSession, defaultSession, "the tabs of this session `NAME`")
	f.StringVar(&at.origin, "origin", "", "only tools of documents of this `ORIGIN`, such as https://shop.example")
	cmd.AddCommand(v.listCommand(), v.callCommand(), v.lockCommand(), v.diffCommand())
	return cmd
}

// verbPageTool is the verb that calls a tool of a page by its handle.
const verbPageTool = "page-tool"

// pageQuery says whose tools are meant.
type pageQuery struct {
	session string
	origin  string   // "" is every origin
	names   []string // none are all
}

// pageTool is a tool of a page with what a command needs of it.
type pageTool struct {
	Origin  string    `json:"origin"`
	Name    string    `json:"name"`
	Handle  string    `json:"handle"`
	Problem string    `json:"problem,omitempty"` // why it cannot be called
	Tool    lock.Tool `json:"tool"`
}

// judged is a tool with what the lock says of it.
type judged struct {
	pageTool
	lock.Judgement
}

// lockedPage is the page of a tab, compared with a lock.
type lockedPage struct {
	url     string
	file    *lock.File
	tools   []judged
	omitted int
}

// lockedPage asks the daemon for the tools that a query means, and judges them.
func (v webmcpVerbs) lockedPage(ctx context.Context) (lockedPage, error) {
	reply, err := fetchPageTools(ctx, v.at.session)
	if err != nil {
		return lockedPage{}, err
	}
	out := lockedPage{url: reply.URL, file: lock.NewFile(reply.Lock), omitted: reply.Omitted}
	allowed, err := out.file.Load()
	if err != nil {
		return lockedPage{}, err
	}
	for _, t := range reply.Tools {
		t.Tool.Name = t.Name
		named := len(v.at.names) == 0 || slices.Contains(v.at.names, t.Name)
		if named && (v.at.origin == "" || v.at.origin == t.Origin) {
			out.tools = append(out.tools, judged{t, allowed.Judge(t.Origin, []lock.Tool{t.Tool})[0]})
		}
	}
	for _, name := range v.at.names {
		if !slices.ContainsFunc(out.tools, func(t judged) bool { return t.Name == name }) {
			return lockedPage{}, exit.Misuse(out.unknown(name, reply.Tools))
		}
	}
	return out, nil
}

// unknown says that a page offers no tool of a name.
func (l lockedPage) unknown(name string, tools []pageTool) error {
	names := slicesx.Map(tools, func(t pageTool) string { return t.Name })
	return fmt.Errorf("the page offers no tool %.128q%s", name, exit.Suggest(name, names, ""))
}

func (v webmcpVerbs) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the tools of the page, with what the lock says of each", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page, err := v.lockedPage(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(v.stdout)
				enc.SetEscapeHTML(false)
				return enc.Encode(page.rows())
			}
			return v.printTools(page)
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// pageToolRow is a tool of a page for a program. What the page wrote is as it wrote it.
type pageToolRow struct {
	Origin  string         `json:"origin"`
	Name    string         `json:"name"`
	State   lock.Verdict   `json:"state"`
	Handle  string         `json:"handle"`
	Problem string         `json:"problem,omitempty"`
	Tool    lock.Tool      `json:"tool"`
	Changes []lock.Finding `json:"changes"`
}

func (l lockedPage) rows() []pageToolRow {
	out := []pageToolRow{}
	for _, t := range l.tools {
		row := pageToolRow{t.pageTool.Origin, t.Name, t.Verdict, t.Handle, t.Problem, t.Tool, t.Findings}
		if row.Changes == nil {
			row.Changes = []lock.Finding{}
		}
		if t.Err != nil {
			row.Problem = t.Err.Error()
		}
		out = append(out, row)
	}
	return out
}

func (v webmcpVerbs) printTools(page lockedPage) error {
	screen := terminal.New(v.stdout)
	if len(page.tools) == 0 {
		return screen.Line("the page offers no tools: " + terminal.Plain(page.url))
	}
	var rows [][]string
	for _, t := range page.tools {
		rows = append(rows, []string{terminal.Plain(t.Name), string(t.Verdict), terminal.Plain(t.pageTool.Origin), terminal.Plain(lock.Summary(t.Tool))})
	}
	err := screen.Table([]string{"tool", "state", "origin", "takes"}, rows)
	if page.omitted > 0 {
		err = errors.Join(err, screen.Line(fmt.Sprintf("and %d more, beyond what is followed of one page", page.omitted)))
	}
	return err
}

func (v webmcpVerbs) diffCommand() *cobra.Command {
	return &cobra.Command{Use: "diff [NAME...]", Short: "Show what has changed since you allowed it; exit 1 if a change breaks callers",
		RunE: func(cmd *cobra.Command, args []string) error {
			v.at.names = args
			page, err := v.lockedPage(cmd.Context())
			if err != nil {
				return err
			}
			var all []lock.Judgement
			for _, t := range page.tools {
				all = append(all, t.Judgement)
				if t.Verdict == lock.Unchanged {
					continue
				}
				if _, err := io.WriteString(v.stdout, terminal.Plain(t.Diff())); err != nil {
					return err
				}
			}
			worst := lock.Worst(all)
			if err := v.printLine("%s: %d of %d tools are as they were allowed", worst, unchanged(all), len(all)); err != nil {
				return err
			}
			if worst == lock.Breaking || worst == lock.Invalid {
				return exit.RefusedError{}
			}
			return nil
		}}
}

func unchanged(all []lock.Judgement) (n int) {
	for _, j := range all {
		if j.Verdict == lock.Unchanged {
			n++
		}
	}
	return n
}

func (v webmcpVerbs) lockCommand() *cobra.Command {
	var by, why string
	cmd := &cobra.Command{Use: "lock [NAME...]", Short: "Allow the tools of the page as they are now, and print what you allow",
		Example: "  callsheet webmcp lock add_to_cart --why \"the shop's own cart\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			v.at.names = args
			page, err := v.lockedPage(cmd.Context())
			if err != nil {
				return err
			}
			return v.lock(cmd.Context(), page, lock.Acceptance{By: by, Why: why})
		}}
	cmd.Flags().StringVar(&by, "by", userName(), "who allows it, as the lock `NAME`s the person")
	cmd.Flags().StringVar(&why, "why", "", "a `REASON`, for whoever reads the lock")
	return cmd
}

// userName names the person at the command line.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "the command line"
}

// lock accepts tools, one origin after the other, and prints the change of each.
func (v webmcpVerbs) lock(ctx context.Context, page lockedPage, a lock.Acceptance) error {
	byOrigin := map[string][]lock.Tool{}
	var origins []string
	for _, t := range page.tools {
		if t.Verdict == lock.Unchanged {
			continue
		}
		if _, err := io.WriteString(v.stdout, terminal.Plain(t.Diff())); err != nil {
			return err
		}
		if t.Verdict == lock.Invalid {
			return exit.RefusedError{}
		}
		if byOrigin[t.pageTool.Origin] == nil {
			origins = append(origins, t.pageTool.Origin)
		}
		byOrigin[t.pageTool.Origin] = append(byOrigin[t.pageTool.Origin], t.Tool)
	}
	if len(origins) == 0 {
		return v.printLine("nothing to allow: no tool of the page has changed")
	}
	for _, origin := range origins {
		a.Origin, a.Tools = origin, byOrigin[origin]
		changed, err := page.file.Accept(ctx, a)
		if err != nil {
			return err
		}
		if err := v.printLine("allowed %s of %s in %s", strings.Join(changed, ", "), terminal.Plain(origin), page.file.Path()); err != nil {
			return err
		}
	}
	return nil
}

func (v webmcpVerbs) callCommand() *cobra.Command {
	var args string
	cmd := &cobra.Command{Use: "call NAME", Short: "Call a tool of the page", Args: oneArgument("the name of a tool"),
		Example: "  callsheet webmcp call add_to_cart --json '{\"product\": \"tea\"}'",
		RunE: func(cmd *cobra.Command, given []string) error {
			if !json.Valid([]byte(args)) || !strings.HasPrefix(strings.TrimSpace(args), "{") {
				return exit.Misuse(fmt.Errorf("--json: the arguments are one JSON object, as %s", `'{"product": "tea"}'`))
			}
			v.at.names = given
			page, err := v.lockedPage(cmd.Context())
			if err != nil {
				return err
			}
			if len(page.tools) > 1 {
				return exit.Misuse(fmt.Errorf("%d documents offer %s; name one by --origin", len(page.tools), given[0]))
			}
			request, err := json.Marshal(map[string]any{"action": "call", "handle": page.tools[0].Handle, "arguments": json.RawMessage(args)})
			if err != nil {
				return err
			}
			table := cli.Verbs()
			verb := table[slices.IndexFunc(table, func(v cmdline.Verb) bool { return v.Name == verbPageTool })]
			return v.callVerb(cmd.Context(), cmd, cmdline.Call{Verb: &verb, Args: request})
		}}
	cmd.Flags().StringVar(&args, "json", "{}", "the `ARGUMENTS`, one JSON object")
	return cmd
}
