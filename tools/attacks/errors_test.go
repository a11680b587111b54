package attacks_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
)

// password is in the error of a handler of the server failing. No client may see it.
const password = "password=hunter2-in-an-error"

// serverLog returns the log of the server failing.
var serverLog lockedBuffer

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// brokenDirectory returns a state directory whose path has the password, and in which nothing can be
// written because it is a file.
func brokenDirectory(dir string) string {
	path := filepath.Join(dir, password)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		panic(err)
	}
	return path
}

// savingWorkflow writes a workflow with a step that fails on the server failing.
func savingWorkflow(dir string) string {
	path := filepath.Join(dir, "flows.yaml")
	const text = `save_page:
  description: Print a page.
  steps:
    - call: callsheet:navigate
      args: { url: "data:text/plain,a" }
    - call: callsheet:page_pdf
      args: { path: a.pdf }
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	return path
}

// failing is a server whose handlers fail with errors that were not made for clients.
var failing = &server{
	config: func(dir string) app.Config {
		return app.Config{
			Surface: toolkit.Options{AllTools: true}, NoJournal: true, StateDir: filepath.Join(dir, "state"), OutputDir: brokenDirectory(dir),
			Logger: slog.New(slog.NewTextHandler(&serverLog, nil)), Workflows: app.Workflows{Path: savingWorkflow(dir)},
		}
	},
	flags: func(dir string) []string { return []string{"--output-dir", brokenDirectory(dir)} },
}

var errorID = regexp.MustCompile(`id ([a-z2-7]{12})`)

// expectOpaque fails the attack unless a text tells of an error by an id only.
func (c *client) expectOpaque(text string) {
	c.Helper()
	c.lacks(text, password, "hunter2", "not a directory", "mkdir")
	id := errorID.FindStringSubmatch(text)
	if id == nil {
		c.Fatalf("no id in %s", text)
	}
	if c.on == overCommands {
		return // the log is the daemon's
	}
	for line := range strings.Lines(serverLog.String()) {
		if strings.Contains(line, id[1]) && strings.Contains(line, password) {
			return
		}
	}
	c.Errorf("the log has no line with %s and the error", id[1])
}

// refusedFile calls a tool that writes a file, which must be refused with the code, and returns the text
// of the refusal. Verbs of such tools take no path, since their caller writes the file itself: a batch
// makes the call there.
func (c *client) refusedFile(code, tool, path string) string {
	c.Helper()
	if c.on != overCommands {
		return c.refused(code, tool, args{"path": path})
	}
	text := c.call("batch_execute", args{"tasks": []args{{"tool": tool, "args": args{"path": path}}}}).text
	c.contains(text, code)
	return text
}

// Attacks that read what errors tell: paths, addresses and secrets of the server.
var _ = add(
	attack{
		name: "errors_of_handler", about: "a client reads the text of an error that a handler did not make for it", with: failing,
		run: func(c *client) {
			c.ok("navigate", args{"url": "data:text/plain,a"})
			c.expectOpaque(c.refusedFile("INTERNAL", "page_pdf", "a.pdf"))
		},
	},
	attack{
		name: "errors_of_picture", about: "the same for a screenshot, which another handler writes", with: failing,
		run: func(c *client) {
			c.ok("navigate", args{"url": "data:text/plain,a"})
			c.expectOpaque(c.refusedFile("INTERNAL", "page_screenshot", "a.png"))
		},
	},
	attack{
		name: "errors_of_launch", about: "the same for a browser that cannot be launched with its profile", with: failing,
		run: func(c *client) {
			c.expectOpaque(c.refused("INTERNAL", "chrome_launch", args{"user_data_dir": "profile"}))
		},
	},
	attack{
		name: "errors_in_structured_content", about: "the structured content of a refusal tells what its text does not", with: failing,
		on: []transport{overStdio, overHTTP},
		run: func(c *client) {
			c.ok("navigate", args{"url": "data:text/plain,a"})
			res := c.call("page_pdf", args{"path": "a.pdf"})
			_, structured, _ := strings.Cut(res.text, "\n")
			var envelope struct {
				Code string `json:"code"`
				ID   string `json:"error_id"`
			}
			if err := json.Unmarshal([]byte(structured), &envelope); err != nil || envelope.Code != "INTERNAL" || envelope.ID == "" {
				c.Errorf("%s: %v", structured, err)
			}
			c.expectOpaque(res.text)
		},
	},
	attack{
		name: "errors_in_batch", about: "the same for a task of a batch, which is a call on behalf of another", with: failing,
		run: func(c *client) {
			c.ok("navigate", args{"url": "data:text/plain,a"})
			c.expectOpaque(c.call("batch_execute", args{"tasks": []args{{"tool": "page_pdf", "args": args{"path": "a.pdf"}}}}).text)
		},
	},
	attack{
		name: "errors_in_workflow", about: "the same for a step of a workflow", with: failing, on: []transport{overStdio, overHTTP},
		run: func(c *client) { c.expectOpaque(c.call("save_page", nil).text) },
	},
	attack{
		name: "errors_in_journal", about: "an error that a client was not told is in its journal", with: failing,
		run: func(c *client) {
			c.ok("navigate", args{"url": "data:text/plain,a"})
			c.refusedFile("INTERNAL", "page_pdf", "a.pdf")
			c.call("oc_journal", args{"action": "recent"})
			c.lacks(c.saw(), password)
		},
	},
	attack{
		name: "errors_of_bare_call", about: "a bare request reads the error of a handler", with: failing, on: []transport{overNothing},
		run: func(c *client) {
			text, handle := c.bareCall("navigate", args{"url": "data:text/plain,a"}, nil)
			c.contains(text, "data:")
			text, _ = c.bareCall("page_pdf", args{"path": "a.pdf"}, nil, "Callsheet-Session", handle)
			c.expectOpaque(text)
		},
	},
	attack{
		name: "errors_keep_refusals", about: "an error that is made for clients keeps its text: an opaque one would leave an agent without a way on", with: failing,
		run: func(c *client) {
			c.refused("NO_TAB", "read_page", args{"tabId": "t999999"})
			c.ok("navigate", args{"url": "about:blank"})
			c.refusedFile("POLICY_DENIED", "page_pdf", "/etc/a.pdf")
			c.refused("POLICY_DENIED", "navigate", args{"url": "javascript:alert(1)"}, "javascript")
		},
	},
)
