// Package watchdog keeps the connection to a person's browser in a process of its own, which closes
// the tabs that were opened over it when this process ends in any way.
//
// The DevTools protocol undoes what a session has set when its connection ends, but the tabs that it
// created stay. A second connection to close them would need the person's consent once more, so the
// watchdog carries the only one: it copies messages, and learns from them which tabs to close.
//
// The package knows targets, and must not know tabs, sessions or where the browser was found.
package watchdog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// argument is the first argument of a watchdog; the address of the browser follows. Package
// initialisation looks for it, so that each executable that links this package, test programs too,
// can be a watchdog.
const argument = "callsheet-watchdog"

const (
	connected = "connected" // what a watchdog writes first, or else an error
	// dialTimeout bounds the connection, which may wait for the consent of a person.
	dialTimeout = 25 * time.Second
	// closeTimeout bounds the end of the tabs.
	closeTimeout = 3 * time.Second
)

// Dial connects to the browser at a WebSocket address through a watchdog.
func Dial(ctx context.Context, address string) (chromedp.Transport, error) {
	exe := "/proc/self/exe" // also if a newer version has replaced the file
	if runtime.GOOS != "linux" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
	}
	cmd := exec.Command(exe) // not bound to ctx: it outlives the call, and this process
	cmd.Args = []string{argument, address}
	cmd.Dir = os.TempDir()
	detach(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the watchdog of the browser: %w", err)
	}
	t := &transport{PipeConn: nil, in: in, cmd: cmd}
	stop := context.AfterFunc(ctx, func() { _ = in.Close() })
	first, err := readText(out)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err == nil && first != connected {
		err = errors.New(first)
	}
	if err != nil {
		_ = in.Close()
		go func() { _ = cmd.Wait() }()
		return nil, err
	}
	t.PipeConn = chromedp.NewPipeConn(out, in)
	return t, nil
}

// readText reads a text that ends with a zero byte, and no byte more.
func readText(r io.Reader) (string, error) {
	var text []byte
	b := make([]byte, 1)
	for {
		if _, err := io.ReadFull(r, b); err != nil {
			return "", fmt.Errorf("the watchdog of the browser ended: %w", err)
		}
		if b[0] == 0 {
			return string(text), nil
		}
		text = append(text, b[0])
	}
}

// transport is the connection to a watchdog.
type transport struct {
	*chromedp.PipeConn
	in  io.Closer
	cmd *exec.Cmd
}

// Close ends the watchdog, which closes the tabs that are left.
func (t *transport) Close() error {
	err := t.in.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	go func() { _ = t.cmd.Wait() }() // it closes the other pipe
	return err
}

func init() {
	if len(os.Args) == 2 && os.Args[0] == argument {
		os.Exit(run(os.Args[1]))
	}
}

// message is a cdproto.Message that is written with its empty results and parameters, which a server
// expects.
type message struct {
	ID        int64              `json:"id,omitempty"`
	SessionID target.SessionID   `json:"sessionId,omitempty"`
	Method    cdproto.MethodType `json:"method,omitempty"`
	Params    json.RawMessage    `json:"params,omitempty"`
	Result    json.RawMessage    `json:"result,omitempty"`
	Error     *cdproto.Error     `json:"error,omitempty"`
}

// writeMessage writes a message as chromedp.PipeConn reads it.
func writeMessage(w io.Writer, m *cdproto.Message) error {
	text, err := json.Marshal(message{m.ID, m.SessionID, m.Method, json.RawMessage(m.Params), json.RawMessage(m.Result), m.Error})
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, 0))
	return err
}

// run is the watchdog.
func run(address string) int {
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	browser, err := remote.DialContext(ctx, address)
	cancel()
	if err != nil {
		_, _ = os.Stdout.WriteString(err.Error() + "\x00") // a server that is gone learns nothing
		return 1
	}
	_, _ = os.Stdout.WriteString(connected + "\x00")
	pages := newPageTracker(browser)
	lost, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(lost)
		pages.copyToServer(os.Stdout)
	}()
	go func() {
		defer close(ended)
		pages.copyToBrowser(chromedp.NewPipeConn(os.Stdin, os.Stdout))
	}()
	select {
	case <-lost:
		return 0
	case <-ended:
	case <-signals:
	}
	select {
	case <-pages.closeAll():
	case <-lost:
	case <-time.After(closeTimeout):
	}
	_ = browser.Close()
	return 0
}
