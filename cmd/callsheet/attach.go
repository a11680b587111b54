package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/running"
	"github.com/callsheet/callsheet/internal/session"
)

// attachRequest is the request of attach and detach to the daemon.
type attachRequest struct {
	Attach    bool              `json:"attach"`
	Dir       string            `json:"dir,omitempty"`
	Port      int               `json:"port,omitempty"`
	Extension bool              `json:"extension,omitempty"`
	Tabs      browser.TabAccess `json:"tabs,omitempty"`
}

// attachReply is the daemon's answer.
type attachReply struct {
	Browser  string `json:"browser,omitempty"` // product and version
	Dir      string `json:"dir,omitempty"`
	Pages    int    `json:"pages"`    // of the person
	Detached bool   `json:"detached"` // a browser was let go
}

// attachVerb is the command attach with its flags.
type attachVerb struct {
	program
	attachRequest

	asJSON bool
}

// attachCommand makes the daemon use the person's own browser.
func (p program) attachCommand() *cobra.Command {
	v := attachVerb{program: p}
	var list bool
	cmd := &cobra.Command{
		Use: "attach", Short: "Let agents work in tabs of their own in your running Chrome or Chromium", Args: noArguments,
		Long: "Finds the running browser whose remote debugging you have allowed, and makes the daemon use it for every client,\n" +
			"over one connection. Your tabs are neither listed nor touched. callsheet detach lets go of it.",
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		person, err := v.person()
		if err != nil {
			return exit.Misuse(err)
		}
		if list {
			return v.list(cmd.Context(), person)
		}
		return v.run(cmd.Context())
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&list, "list", false, "list the running browsers and attach to none")
	f.StringVar(&v.Dir, "user-data-dir", "", "attach to the browser with this profile `DIR`ectory")
	f.IntVar(&v.Port, "port", 0, "attach to the browser with this debugging `PORT`")
	f.BoolVar(&v.Extension, "extension", false, "attach to the browser that is connected through the extension")
	f.Var(options.TabsFlag(&v.Tabs), "tabs", "let agents use these tabs besides their own: opened (none), pinned, group or all")
	f.BoolVar(&v.asJSON, "json", false, "print it as JSON")
	return cmd
}

// person returns the browser that is meant. The daemon runs in another directory.
func (r *attachRequest) person() (session.PersonBrowser, error) {
	if r.Dir != "" {
		abs, err := filepath.Abs(r.Dir)
		if err != nil {
			return session.PersonBrowser{}, err
		}
		r.Dir = abs
	}
	return session.PersonBrowser{Dir: r.Dir, Port: r.Port}, nil
}

// detachCommand ends what attachCommand began.
func (p program) detachCommand() *cobra.Command {
	return &cobra.Command{
		Use: "detach", Short: "Let go of the browser of attach, and close the tabs that agents opened in it", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := daemonDirectory()
			if err != nil {
				return err
			}
			if _, err := at.Status(cmd.Context()); err != nil {
				return p.printLine("nothing was attached: no daemon runs")
			}
			reply, err := controlDaemon(cmd.Context(), attachRequest{})
			if err != nil {
				return err
			}
			if !reply.Detached {
				return p.printLine("nothing was attached")
			}
			return p.printLine("let go of the browser")
		},
	}
}

// controlDaemon sends a request to the daemon, and starts one if none runs.
func controlDaemon(ctx context.Context, req attachRequest) (reply attachReply, err error) {
	at, err := daemonDirectory()
	if err != nil {
		return reply, err
	}
	start, err := daemonProgram(nil)
	if err != nil {
		return reply, err
	}
	return reply, at.Control(ctx, buildID(start.Path), start, req, &reply)
}

func (v attachVerb) run(ctx context.Context) error {
	v.Attach = true
	reply, err := controlDaemon(ctx, v.attachRequest)
	if err != nil {
		return err
	}
	if v.asJSON {
		return json.NewEncoder(v.stdout).Encode(reply)
	}
	whose := "are neither listed nor touched"
	if v.Extension {
		return v.printLine("attached to %s through the extension. callsheet detach lets go of it", terminal.Plain(reply.Browser))
	}
	if v.Tabs == browser.AllTabs {
		whose = "can be used by agents, too"
	}
	return v.printLine("attached to %s (%s); its %d open tabs %s. callsheet detach lets go of it",
		terminal.Plain(reply.Browser), terminal.Plain(reply.Dir), reply.Pages, whose)
}

// answerControl is the daemon's side.
func (s *scopeServers) answerControl(ctx context.Context, raw json.RawMessage) (any, error) {
	var req struct {
		attachRequest
		uiRequest
		pageToolsRequest
	}
	if err := json.Unmarshal(raw, &req); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if req.UI {
		address, err := s.pages.address(ctx)
		return uiReply{Address: address}, err
	}
	if req.PageTools != "" {
		return s.readPageTools(ctx, req.PageTools)
	}
	connections := s.app.Connections
	if !req.Attach {
		detached, err := connections.Detach(ctx)
		return attachReply{Detached: detached}, err
	}
	if req.Extension {
		err := connections.AttachExtension(ctx, req.Tabs)
		return attachReply{Browser: connections.OwnBrowser().Status().Version}, err
	}
	found, err := connections.Attach(ctx, session.PersonBrowser{Dir: req.Dir, Port: req.Port}, req.Tabs)
	if err != nil {
		return nil, err
	}
	reply := attachReply{Browser: found.Name(), Dir: found.Dir}
	reply.Pages, err = connections.OwnBrowser().CountPages(ctx)
	return reply, err
}

// list prints the running browsers, and how one allows to attach to it.
func (v attachVerb) list(ctx context.Context, person session.PersonBrowser) error {
	found := person.Candidates(ctx)
	if v.asJSON {
		rows := make([]map[string]any, 0, len(found))
		for _, b := range found {
			rows = append(rows, map[string]any{
				"product": b.Product, "version": b.Version, "dir": b.Dir, "port": b.Port, "pages": b.Pages, "allowed": b.Allowed(),
			})
		}
		return json.NewEncoder(v.stdout).Encode(map[string]any{"browsers": rows})
	}
	screen := terminal.New(v.stdout)
	if len(found) == 0 {
		return screen.Line((&session.ChooseError{Dir: person.Dir}).Error())
	}
	rows := make([][]string, len(found))
	anyAllowed := false
	for i, b := range found {
		rows[i] = describeBrowser(b)
		anyAllowed = anyAllowed || b.Allowed()
	}
	if err := screen.Table([]string{"browser", "debugging", "port", "tabs", "profile"}, rows); err != nil || anyAllowed {
		return err
	}
	return screen.Line("to allow it, " + session.HowToAllow)
}

func describeBrowser(b running.Browser) []string {
	number := func(n int) string { return cmp.Or(map[bool]string{n > 0: strconv.Itoa(n)}[true], "-") }
	allowed := "not allowed"
	if b.Allowed() {
		allowed = "allowed"
	}
	return []string{terminal.Plain(b.Name()), allowed, number(b.Port), number(b.Pages), terminal.Plain(b.Dir)}
}
