package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"github.com/callsheet/callsheet/internal/engine/chromium"
)

// person is a browser that a test starts by hand, as a person does, with what the person sees.
type person struct {
	t    *testing.T
	dir  string
	cmd  *exec.Cmd
	conn chromedp.Transport
	next atomic.Int64

	answers <-chan *cdproto.Message

	env  []string // of the browser
	pipe bool     // it has no debugging port, and the test speaks to it through a pipe
}

func startPerson(t *testing.T, addresses ...string) *person {
	t.Helper()
	return startPersonAs(t, &person{dir: t.TempDir()}, addresses...)
}

func startPersonAs(t *testing.T, p *person, addresses ...string) *person {
	t.Helper()
	p.t = t
	t.Cleanup(p.stop)
	p.start(addresses...)
	return p
}

func (p *person) start(addresses ...string) {
	p.t.Helper()
	exe, err := chromium.FindExecutable("")
	if err != nil {
		p.t.Fatal(err)
	}
	args := []string{"--headless=new", "--user-data-dir=" + p.dir, "--no-first-run", "--disable-gpu"}
	if p.pipe {
		args = append(args, "--remote-debugging-pipe", "--enable-unsafe-extension-debugging")
	} else {
		args = append(args, "--remote-debugging-port=0")
	}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	p.cmd = exec.Command(exe, append(args, addresses[0])...) // without windows it takes one address
	chromium.SetProcessGroup(p.cmd)
	p.cmd.Env = append(os.Environ(), p.env...)
	if p.pipe {
		p.startWithPipe()
	} else {
		p.startWithPort()
	}
	p.listen()
	for i, a := range addresses { // one after the other: the browser answers commands before it opens the page of its command line
		if i > 0 {
			p.call("", "Target.createTarget", map[string]any{"url": a, "background": true}, &struct{}{})
		}
		eventually(p.t, "the person's page loads", func() bool {
			return slices.Contains(p.pages(), a) && p.evaluate(a, "location.href + document.readyState") == a+"complete"
		})
	}
	// A page that has scrolled has drawn a frame, and events of its start are over. It scrolls once, so not before it listens.
	eventually(p.t, "the person scrolls", func() bool {
		return p.evaluate(addresses[0], `seen.includes("pageshow") && (scrollTo(0, 700), scrollY == 700 && seen.includes("scroll"))`) == "true"
	})
	p.evaluate(addresses[0], "seen = []")
}

// startWithPipe starts the browser with a pipe in its descriptors 3 and 4.
func (p *person) startWithPipe() {
	p.t.Helper()
	commands, toBrowser, err1 := os.Pipe()
	fromBrowser, answers, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		p.t.Fatal(err1, err2)
	}
	p.cmd.ExtraFiles = []*os.File{commands, answers}
	err := p.cmd.Start()
	_, _ = commands.Close(), answers.Close()
	if err != nil {
		p.t.Fatal(err)
	}
	p.conn = chromedp.NewPipeConn(fromBrowser, toBrowser)
}

// startWithPort starts the browser and connects to its port.
func (p *person) startWithPort() {
	p.t.Helper()
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	var address string
	eventually(p.t, "the browser writes its port file", func() bool {
		text, _ := os.ReadFile(filepath.Join(p.dir, "DevToolsActivePort"))
		port, path, ok := strings.Cut(strings.TrimSpace(string(text)), "\n")
		address = "ws://127.0.0.1:" + port + path
		return ok
	})
	eventually(p.t, "the browser answers", func() bool {
		conn, err := remote.DialContext(context.Background(), address)
		p.conn = conn
		return err == nil
	})
}

func (p *person) stop() {
	if p.conn != nil {
		_ = p.conn.Close()
	}
	chromium.KillGroup(p.cmd.Process.Pid)
	_ = p.cmd.Wait()
}

// restart ends the browser and starts it with the same profile, at another port.
func (p *person) restart(addresses ...string) {
	p.stop()
	_ = os.Remove(filepath.Join(p.dir, "DevToolsActivePort"))
	p.start(addresses...)
}

// call runs a command over a connection of the test's own.
func (p *person) call(session target.SessionID, method string, params, into any) {
	p.t.Helper()
	if err := p.try(session, method, params, into); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

// try is call for a page that may be replaced meanwhile, which then gives no answer.
func (p *person) try(session target.SessionID, method string, params, into any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	id := p.next.Add(1)
	if err := p.conn.Write(context.Background(), &cdproto.Message{ID: id, SessionID: session, Method: cdproto.MethodType(method), Params: raw}); err != nil {
		return err
	}
	late := time.After(patience / 2)
	for {
		select {
		case m, ok := <-p.answers:
			switch {
			case !ok:
				return io.EOF
			case m.ID != id:
			case m.Error != nil:
				return m.Error
			case len(m.Result) == 0:
				return nil
			default:
				return json.Unmarshal(m.Result, into)
			}
		case <-late:
			return context.DeadlineExceeded
		}
	}
}

// listen reads the answers of the browser until its connection ends.
func (p *person) listen() {
	answers := make(chan *cdproto.Message, 16)
	p.answers = answers
	go func() {
		defer close(answers)
		for m := new(cdproto.Message); p.conn.Read(context.Background(), m) == nil; m = new(cdproto.Message) {
			if m.ID != 0 {
				answers <- m
			}
		}
	}()
}

func (p *person) targets() []*target.Info {
	var res target.GetTargetsResult
	p.call("", "Target.getTargets", struct{}{}, &res)
	return slices.DeleteFunc(res.TargetInfos, func(i *target.Info) bool { return i.Type != "page" })
}

// pages lists the addresses of the open pages.
func (p *person) pages() (out []string) {
	for _, i := range p.targets() {
		out = append(out, i.URL)
	}
	slices.Sort(out)
	return out
}

// inPage runs fn with a session of the page whose address ends in end.
func (p *person) inPage(end string, fn func(id target.ID, session target.SessionID)) {
	p.t.Helper()
	for _, i := range p.targets() {
		if strings.HasSuffix(i.URL, end) {
			p.inTarget(i.TargetID, func(session target.SessionID) { fn(i.TargetID, session) })
			return
		}
	}
	p.t.Fatalf("no page ends in %s: %v", end, p.pages())
}

// inTarget runs fn with a session of a page.
func (p *person) inTarget(id target.ID, fn func(session target.SessionID)) {
	p.t.Helper()
	var res target.AttachToTargetResult
	p.call("", "Target.attachToTarget", map[string]any{"targetId": id, "flatten": true}, &res)
	fn(res.SessionID)
	_ = p.try("", "Target.detachFromTarget", map[string]any{"sessionId": res.SessionID}, &struct{}{}) // it may be gone
}

func (p *person) evaluate(end, code string) (value string) {
	p.t.Helper()
	p.inPage(end, func(_ target.ID, session target.SessionID) { value = p.evaluateIn(session, code) })
	return value
}

// evaluateIn is "" while the page is replaced.
func (p *person) evaluateIn(session target.SessionID, code string) string {
	var res struct {
		Result struct{ Value any }
	}
	if p.try(session, "Runtime.evaluate", map[string]any{"expression": code}, &res) != nil {
		return ""
	}
	return fmt.Sprint(res.Result.Value)
}

// state is everything of the person's tabs and windows that somebody else could change.
func (p *person) state() string {
	var b strings.Builder
	for _, i := range p.targets() {
		if !strings.Contains(i.URL, "/private") {
			continue
		}
		p.inPage(i.URL, func(id target.ID, session target.SessionID) {
			var window, page json.RawMessage
			p.call("", "Browser.getWindowForTarget", map[string]any{"targetId": id}, &window)
			p.call(session, "Runtime.evaluate", map[string]any{"expression": personState}, &page)
			fmt.Fprintf(&b, "%s %s %s\n", id, window, page)
		})
	}
	return b.String()
}

// marked reports whether the upper edge of a page shows the bar of agents.
func (p *person) marked(end string) (on bool) {
	p.inPage(end, func(_ target.ID, session target.SessionID) {
		var shot struct{ Data string }
		p.call(session, "Page.bringToFront", struct{}{}, &struct{}{}) // a tab in the background may not paint
		p.call(session, "Page.captureScreenshot", struct{}{}, &shot)
		data, err := base64.StdEncoding.DecodeString(shot.Data)
		if err != nil {
			p.t.Fatal(err)
		}
		img, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			p.t.Fatal(err)
		}
		r, _, b, _ := img.At(img.Bounds().Dx()/2, 1).RGBA()
		on = r > 0xe000 && b < 0x6000
	})
	return on
}

// connections counts the established connections to the browser's port, less that of the test.
func (p *person) connections(daemon int) int {
	text, _ := os.ReadFile(filepath.Join(p.dir, "DevToolsActivePort"))
	port, _, _ := strings.Cut(string(text), "\n")
	var number int
	_, _ = fmt.Sscan(port, &number)
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", daemon))
	if err != nil {
		p.t.Fatal(err)
	}
	suffix := fmt.Sprintf("0100007F:%04X 01 ", number) // as the remote address, established
	return strings.Count(string(table), suffix) - 1
}
