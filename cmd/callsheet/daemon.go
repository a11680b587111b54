package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/daemon"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// How long the daemon stays without a command, unless the flag or the variable says otherwise.
const (
	defaultIdle  = 15 * time.Minute
	idleVariable = "CALLSHEET_DAEMON_IDLE"
)

// stateAt returns the state directory, for verbs and daemon alike.
func stateAt(dir string) (statedir.Dir, error) { return statedir.New(dir) }

// daemonDirectory returns the directory of the daemon of this user: below the runtime directory,
// which ends with the login, or else below the state directory.
func daemonDirectory() (daemon.Directory, error) {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return daemon.Open(filepath.Join(dir, "callsheet"))
		}
	}
	kept, err := stateAt("")
	if err != nil {
		return daemon.Directory{}, err
	}
	return daemon.Open(kept.Path("run"))
}

// buildID identifies a build, since two builds of one version may differ during development.
func buildID(exe string) string {
	info, err := os.Stat(exe)
	if err != nil {
		return version
	}
	return version + " " + strconv.FormatInt(info.Size(), 36) + "-" + strconv.FormatInt(info.ModTime().UnixNano(), 36)
}

// connectDaemon connects to the daemon, and starts one if none runs.
func connectDaemon(ctx context.Context, scope, session string) (io.ReadWriteCloser, error) {
	at, err := daemonDirectory()
	if err != nil {
		return nil, err
	}
	start, err := daemonProgram(nil)
	if err != nil {
		return nil, err
	}
	conn, _, err := at.Connect(ctx, daemon.Hello{Identity: buildID(start.Path), Op: daemon.OpServe, Scope: scope, Session: session}, start)
	return conn, err
}

// errNoDaemon is wrapped by the error of a session that no daemon serves.
var errNoDaemon = errors.New("no daemon serves the session")

// serveDaemonSession copies lines between a client on standard input and output and a session of
// the daemon, which verbs share.
func (p program) serveDaemonSession(ctx context.Context, cfg config) error {
	conn, err := connectDaemon(ctx, cfg.Surface.Scope, cfg.DaemonSession)
	if err != nil {
		return errors.Join(errNoDaemon, err)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	go func() {
		if _, err := io.Copy(conn, p.stdin); err == nil {
			_ = daemon.CloseWrite(conn) // the answers still come
		}
	}()
	if _, err := io.Copy(p.stdout, conn); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve through the daemon: %w", err)
	}
	return nil
}

// daemonProgram returns the program that starts a daemon with the flags.
func daemonProgram(flags []string) (daemon.Program, error) {
	exe, err := os.Executable()
	if err != nil {
		return daemon.Program{}, fmt.Errorf("find this program: %w", err)
	}
	kept, err := stateAt("")
	if err != nil {
		return daemon.Program{}, err
	}
	dir, err := kept.Make()
	if err != nil {
		return daemon.Program{}, err
	}
	start := daemon.Program{Path: exe, Args: append([]string{"daemon", "run"}, flags...), Log: filepath.Join(dir, "daemon.log")}
	if len(flags) == 0 {
		start.Dir = dir // so that it blocks no other directory; paths in flags are relative to the current one
	}
	return start, nil
}

// daemonVerbs are the commands about the daemon.
type daemonVerbs struct{ program }

// daemonCommand builds the verbs about the daemon itself.
func (p program) daemonCommand() *cobra.Command {
	v := daemonVerbs{p}
	root := &cobra.Command{Use: "daemon", Short: "The process that keeps the browser between commands"}
	var asJSON bool
	status := &cobra.Command{Use: "status", Short: "Say whether it runs", Args: noArguments, RunE: func(cmd *cobra.Command, _ []string) error {
		return v.status(cmd.Context(), asJSON)
	}}
	status.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	stop := &cobra.Command{Use: "stop", Short: "End it, with its browser", Args: noArguments, RunE: func(cmd *cobra.Command, _ []string) error {
		return v.stop(cmd.Context())
	}}
	root.AddCommand(status, stop, v.runnerCommand("start", "Start it with other flags than the usual ones", v.start),
		v.runnerCommand("run", "Be the daemon, without a terminal", v.run))
	return root
}

// runnerCommand builds a verb with the flags of a daemon.
func (v daemonVerbs) runnerCommand(name, short string, run func(context.Context, config, time.Duration, []string) error) *cobra.Command {
	cfg := config{}
	idle := defaultIdle
	var given []string
	cmd := &cobra.Command{Use: name, Short: short, Hidden: name == "run", Args: noArguments}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cfg.Validate(cmd.Flags()); err != nil {
			return exit.Misuse(err)
		}
		return run(cmd.Context(), cfg, idle, given)
	}
	cmd.PreRun = func(*cobra.Command, []string) { given = v.args[2:] }
	cfg.BrowserFlags(cmd.Flags())
	cfg.WebMCPFlag(cmd.Flags())
	options.FileFlags(cmd.Flags())
	if text, ok := os.LookupEnv(idleVariable); ok {
		if d, err := time.ParseDuration(text); err == nil {
			idle = d
		}
	}
	cmd.Flags().DurationVar(&idle, "idle", idle, "end after this `TIME` without a command, 0 for never; "+idleVariable+" sets it too")
	return cmd
}

func (v daemonVerbs) status(ctx context.Context, asJSON bool) error {
	at, err := daemonDirectory()
	if err != nil {
		return err
	}
	out := terminal.New(v.stdout)
	status, err := at.Status(ctx)
	switch {
	case errors.Is(err, daemon.ErrNotRunning) && asJSON:
		return out.Line(`{"running":false}`)
	case errors.Is(err, daemon.ErrNotRunning):
		return out.Line("not running")
	case err != nil:
		return err
	case asJSON:
		return out.Line(fmt.Sprintf(`{"running":true,"pid":%d,"socket":%q,"since":%q,"connections":%d,"idle_ms":%d}`,
			status.PID, at.Socket(), status.Since.Format(time.RFC3339), status.Connections, status.Idle.Milliseconds()))
	}
	return out.Line(fmt.Sprintf("running as process %d since %s at %s", status.PID, status.Since.Format(time.DateTime), at.Socket()))
}

func (v daemonVerbs) stop(ctx context.Context) error {
	at, err := daemonDirectory()
	if err != nil {
		return err
	}
	out := terminal.New(v.stdout)
	if err := at.Stop(ctx); errors.Is(err, daemon.ErrNotRunning) {
		return out.Line("not running")
	} else if err != nil {
		return err
	}
	return out.Line("stopped")
}

// start starts a daemon with flags of its own. One that runs keeps its flags, so it must be
// stopped first.
func (v daemonVerbs) start(ctx context.Context, _ config, _ time.Duration, given []string) error {
	at, err := daemonDirectory()
	if err != nil {
		return err
	}
	switch status, err := at.Status(ctx); {
	case err == nil:
		return exit.Misuse(fmt.Errorf("a daemon runs already, as process %d; stop it first", status.PID))
	case !errors.Is(err, daemon.ErrNotRunning):
		return err
	}
	start, err := daemonProgram(given)
	if err != nil {
		return err
	}
	if err := at.Start(ctx, start); err != nil {
		return err
	}
	return v.status(ctx, false)
}

// run is the daemon. It ends quietly when another one is there already.
func (v daemonVerbs) run(ctx context.Context, cfg config, idle time.Duration, _ []string) (err error) {
	at, err := daemonDirectory()
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	srv, err := daemon.Listen(ctx, at)
	if errors.Is(err, daemon.ErrRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	log := cfg.Logger(v.stderr, cfg.LogLevel)
	cfg.SharedSession, cfg.NoHints = defaultSession, true // hints are for models: they name tools, not verbs
	built, err := v.build(cfg, log)
	if err != nil {
		return errors.Join(exit.Misuse(err), srv.Close())
	}
	servers := scopeServers{app: built, log: log, byScope: make(map[string]*mcpserver.Server), pages: daemonUI{app: built, log: log}}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.CloseTimeout)
		defer cancel()
		servers.pages.close()
		servers.close(ending)
		err = errors.Join(err, built.Close(ending), srv.Close())
	}()
	built.ResumeJobs(ctx)
	return srv.Serve(ctx, daemon.Options{Identity: buildID(exe), Idle: idle, Busy: func() bool { return built.Busy() || built.Live.Watched() }, Handle: servers.serve,
		Bridge: servers.serveExtension, Control: servers.answerControl})
}

// scopeServers are the servers of a daemon: one for each scope that a verb has needed, over the
// same browser and sessions.
type scopeServers struct {
	app   *app.App
	log   *slog.Logger
	pages daemonUI

	mu      sync.Mutex
	byScope map[string]*mcpserver.Server
}

// serve serves one command's connection until it ends. The session stays when the command ends.
func (s *scopeServers) serve(ctx context.Context, conn io.ReadWriteCloser, hello daemon.Hello) {
	mcp, err := s.server(hello.Scope)
	session := defaultSession // each call of a verb names its own session
	if options.IsSession(hello.Session) {
		session = hello.Session
	}
	if err == nil {
		err = mcp.ServeShared(ctx, session, conn, conn)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Debug("a command's connection ended", "error", strings.TrimSpace(err.Error()))
	}
}

// server returns the server of a scope, made at first use.
func (s *scopeServers) server(scope string) (*mcpserver.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mcp, ok := s.byScope[scope]; ok {
		return mcp, nil
	}
	surface, err := s.app.ScopeSurface(scope)
	if err != nil {
		return nil, err
	}
	s.byScope[scope] = s.app.Server(surface)
	return s.byScope[scope], nil
}

// close ends every server and its calls.
func (s *scopeServers) close(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, sessionsTimeout)
	defer cancel()
	for scope, mcp := range s.byScope {
		if late := mcp.Close(ctx); late != nil {
			s.log.Warn("sessions did not end in time", "scope", scope, "error", late)
		}
	}
}
