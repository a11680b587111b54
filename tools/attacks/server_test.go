package attacks_test

import (
	"cmp"
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// server is a configuration that attacks are made on. Each is started once and shared by all
// attacks, which have a session each.
type server struct {
	config func(dir string) app.Config // of stdio and HTTP; dir is empty and private to the server
	own    bool                        // it needs a browser of its own, since its configuration changes that
	flags  func(dir string) []string   // of the daemon behind the command line; nil has none
}

// plain is a server with every tool and no more options.
var plain = &server{config: func(string) app.Config { return app.Config{Surface: toolkit.Options{AllTools: true}} }}

// servers starts what attacks need, at first use.
type servers struct {
	t *testing.T // of the whole suite: what it starts ends with it

	mu      sync.Mutex
	running map[*server]*running
	binary  func() (string, error) // builds the program
}

// running is one started configuration.
type running struct {
	dir    string
	app    *tooltest.Server
	http   string                   // address of the endpoint
	daemon func() ([]string, error) // starts the daemon; returns the environment of its commands
	log    string                   // the path of the daemon's log, once it has started
}

func newServers(t *testing.T) *servers {
	return &servers{t: t, running: map[*server]*running{}, binary: sync.OnceValues(func() (string, error) {
		path := filepath.Join(t.TempDir(), "callsheet")
		out, err := exec.Command("go", "build", "-o", path, "github.com/callsheet/callsheet/cmd/callsheet").CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		return path, err
	})}
}

// start returns the started server of a configuration.
func (s *servers) start(with *server) *running {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.running[with]; ok {
		return r
	}
	r := &running{dir: s.t.TempDir()}
	cfg := with.config(r.dir)
	cfg.OutputDir = cmp.Or(cfg.OutputDir, filepath.Join(r.dir, "output"))
	if with.own {
		r.app = tooltest.NewOwnServer(s.t, cfg)
	} else {
		r.app = tooltest.NewServer(s.t, cfg)
	}
	mcp := r.app.Server(r.app.Surface)
	endpoint := httptest.NewServer(mcp.HTTPHandler(mcpserver.HTTPOptions{}))
	s.t.Cleanup(func() {
		_ = mcp.Close(context.Background())
		endpoint.CloseClientConnections()
		endpoint.Close()
	})
	r.http = endpoint.URL
	r.daemon = sync.OnceValues(func() ([]string, error) { return s.startDaemon(with, r) })
	s.running[with] = r
	return r
}

// startDaemon starts the daemon of a configuration, and returns the environment of its commands.
func (s *servers) startDaemon(with *server, r *running) ([]string, error) {
	program, err := s.binary()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "attacks-") // the path of a socket is short
	if err != nil {
		return nil, err
	}
	r.log = filepath.Join(dir, "state", "callsheet", "daemon.log")
	env := append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "CALLSHEET_DAEMON_IDLE=5m")
	run := func(args ...string) error {
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = env, dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			s.t.Logf("%v: %s", args, out)
		}
		return err
	}
	args := []string{"daemon", "start"}
	if with.flags != nil {
		args = append(args, with.flags(dir)...)
	}
	s.t.Cleanup(func() {
		_ = run("daemon", "stop")
		_ = os.RemoveAll(dir)
	})
	return env, run(args...)
}

// silentDaemon finds the process in the error of a command that the daemon did not answer.
var silentDaemon = regexp.MustCompile(`the daemon.* process (\d+)`)

// logSilentDaemon logs, for a call that the daemon did not answer, how busy the machine is and what each
// goroutine of the daemon does, which ends the daemon.
func (r *running) logSilentDaemon(t *testing.T, refusal string) {
	t.Helper()
	m := silentDaemon.FindStringSubmatch(refusal)
	if m == nil {
		return
	}
	tooltest.LogMachine(t)
	pid, _ := strconv.Atoi(m[1]) // matches digits
	if daemon, err := os.FindProcess(pid); err == nil {
		_ = daemon.Signal(syscall.SIGQUIT) // a failure leaves the log without the goroutines
	}
	defer func() {
		log, err := os.ReadFile(r.log)
		t.Logf("the daemon's log: %s %v", log, err)
	}()
	tooltest.Eventually(t, "the daemon ends", func() bool { return !proctest.IsRunning(pid) })
}
