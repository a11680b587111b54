package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/serve"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// notes is a site that keeps notes, and can be redesigned.
type notes struct {
	mu            sync.Mutex
	posts         []string
	button, field string
}

func (n *notes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r.Method == http.MethodPost {
		n.posts = append(n.posts, r.FormValue("note")+r.FormValue("day"))
		http.Redirect(w, r, "/kept", http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprintf(w, `<title>Notes</title><form method=post action=/keep><label>Note <input name=note></label>%s<button>%s</button></form>`, n.field, n.button)
}

func (n *notes) set(button, field string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.button, n.field = button, field
}

func (n *notes) posted() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.posts)
}

// notesSource writes the source of the site, and returns its directory and the file of its tool.
func notesSource(t *testing.T) (dir, tool string) {
	t.Helper()
	dir = t.TempDir()
	tool = filepath.Join(dir, "tools", "keep.yaml")
	for path, text := range map[string]string{
		filepath.Join(dir, "site.yaml"): "version: 1\nname: notes\ndescription: Notes of a person.\norigins: [https://notes.example]\n",
		tool: `name: keep
description: Keep a note.
input:
  note: {type: string, required: true}
start: /
steps:
  - type "{note}" in Note
  - tool: interact
    target: {role: button, name: Keep}
postcondition: {url: /kept}
`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir, tool
}

// serveNotes serves the site for a client of sessions, whose person answers questions with an action; "" for a
// client that cannot ask.
func serveNotes(t *testing.T, o serve.Options, answer *mcp.ElicitResult) (*notes, tooltest.Client) {
	t.Helper()
	return serveNotesTo(t, tooltest.SessionRevision, o, answer)
}

func serveNotesTo(t *testing.T, revision string, o serve.Options, answer *mcp.ElicitResult) (*notes, tooltest.Client) {
	t.Helper()
	site := &notes{button: "Keep"}
	server := httptest.NewServer(site)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	o.Origin = server.URL
	s := tooltest.NewServer(t, app.Config{Site: served(t, o), Surface: toolkit.Options{Scope: compiled.Scope}})
	var listen *mcp.ClientOptions
	if answer != nil {
		listen = &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if !strings.Contains(req.Params.Message, "+    target: {role: button, name: \"Keep note\"}") && !strings.Contains(req.Params.Message, "day") {
				t.Errorf("the question does not show the difference: %s", req.Params.Message)
			}
			return answer, nil
		}}
	}
	return site, s.Connect(t.Name(), revision, listen)
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// refused calls a tool that must be refused with a code, and returns the text.
func refused(t *testing.T, c tooltest.Client, code, tool string, args map[string]any) string {
	t.Helper()
	res, text := call(t, c, tool, args)
	envelope, _ := tooltest.Envelope(res).(map[string]any)
	if !res.IsError || envelope["code"] != code {
		t.Errorf("%s: no refusal with %s: %v %s", tool, code, envelope, text)
	}
	return text
}

// awaitNames waits until the list is as wanted.
func awaitNames(t *testing.T, c tooltest.Client, want ...string) {
	t.Helper()
	tooltest.Eventually(t, fmt.Sprintf("the list is %v", want), func() bool { return slices.Equal(names(t, c), want) })
}

// TestRepairIsAcceptedByAPerson lets a site drift: the tool for repairs is there from then on, shows the difference,
// and changes the file where the person agrees.
func TestRepairIsAcceptedByAPerson(t *testing.T) {
	t.Parallel()
	dir, tool := notesSource(t)
	answer := &mcp.ElicitResult{Action: "decline"}
	site, c := serveNotes(t, serve.Options{Dir: dir}, answer)
	milk, before := map[string]any{"note": "milk"}, read(t, tool)
	awaitNames(t, c, "keep")
	refused(t, c, "TOOL_NOT_VISIBLE", "site_repair", nil)
	site.set("Keep note", "")
	if text := refused(t, c, "SITE_DRIFT", "keep", milk); !strings.Contains(text, "site_repair") {
		t.Errorf("the refusal does not name the tool for repairs: %s", text)
	}
	awaitNames(t, c, "keep", "site_repair")
	if res, text := call(t, c, "site_repair", nil); res.IsError || !strings.Contains(text, `+    target: {role: button, name: "Keep note"}`) || !strings.Contains(text, "<page") {
		t.Errorf("the proposal: %s", text)
	}
	refused(t, c, "NOT_FOUND", "site_repair", map[string]any{"tool": "kep"})
	refused(t, c, "INVALID_ARGUMENTS", "site_repair", map[string]any{"acept": true})
	refused(t, c, "POLICY_DENIED", "site_repair", map[string]any{"accept": true})
	if read(t, tool) != before || len(site.posted()) != 0 {
		t.Errorf("without consent the file is %s, and posts are %v", read(t, tool), site.posted())
	}
	answer.Action, answer.Content = "accept", map[string]any{"write": false}
	refused(t, c, "POLICY_DENIED", "site_repair", map[string]any{"accept": true})
	answer.Content = map[string]any{"write": true}
	if res, text := call(t, c, "site_repair", map[string]any{"accept": true}); res.IsError || !strings.Contains(text, "repaired keep") {
		t.Fatal(text)
	}
	if want := strings.Replace(before, "name: Keep}", `name: "Keep note"}`, 1); read(t, tool) != want {
		t.Errorf("the repaired file is %s", read(t, tool))
	}
	if info, err := os.Stat(tool); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the repaired file has %v, %v", info.Mode(), err)
	}
	awaitNames(t, c, "keep")
	if res, text := call(t, c, "keep", milk); res.IsError || !slices.Equal(site.posted(), []string{"milk"}) {
		t.Errorf("the repaired tool has posted %v: %s", site.posted(), text)
	}
}

// TestRepairWithoutAPerson has a client that cannot ask: the operator decides.
func TestRepairWithoutAPerson(t *testing.T) {
	t.Parallel()
	for _, accepts := range []bool{false, true} {
		t.Run(fmt.Sprint(accepts), func(t *testing.T) {
			t.Parallel()
			dir, tool := notesSource(t)
			site, c := serveNotes(t, serve.Options{Dir: dir, AcceptRepairs: accepts}, nil)
			before := read(t, tool)
			site.set("Keep note", "")
			refused(t, c, "SITE_DRIFT", "keep", map[string]any{"note": "milk"})
			if !accepts {
				refused(t, c, "CONFIRMATION_REQUIRED", "site_repair", map[string]any{"accept": true})
				if read(t, tool) != before {
					t.Errorf("the file is %s", read(t, tool))
				}
				return
			}
			if res, text := call(t, c, "site_repair", map[string]any{"accept": true}); res.IsError || read(t, tool) == before {
				t.Errorf("not accepted: %s", text)
			}
		})
	}
}

// TestRepairThatAddsAParameter accepts a step for a new field: the list has the parameter then. Where the tool is
// promised, the repair is refused and the file stays.
func TestRepairThatAddsAParameter(t *testing.T) {
	t.Parallel()
	for _, frozen := range []bool{false, true} {
		t.Run(fmt.Sprint(frozen), func(t *testing.T) {
			t.Parallel()
			dir, tool := notesSource(t)
			if frozen {
				builtin := tooltest.NewServer(t, app.Config{}).Surface.Registry()
				if _, err := compile.Freeze(dir, compile.Options{Builtin: builtin}, compile.Entry{Who: "test", Why: "test", When: time.Now()}); err != nil {
					t.Fatal(err)
				}
			}
			site, c := serveNotes(t, serve.Options{Dir: dir}, &mcp.ElicitResult{Action: "accept", Content: map[string]any{"write": true}})
			before := read(t, tool)
			site.set("Keep", "<label>Day <input name=day required></label>")
			refused(t, c, "SITE_DRIFT", "keep", map[string]any{"note": "milk"})
			accept := map[string]any{"accept": true, "tool": "keep"}
			if frozen {
				if text := refused(t, c, "FAILED", "site_repair", accept); !strings.Contains(text, "--freeze") || read(t, tool) != before {
					t.Errorf("a promised tool: %s\n%s", text, read(t, tool))
				}
				return
			}
			if res, text := call(t, c, "site_repair", accept); res.IsError {
				t.Fatal(text)
			}
			list, err := c.ListTools(t.Context(), nil)
			if err != nil || !strings.Contains(fmt.Sprint(list.Tools[0].InputSchema), "day") {
				t.Errorf("the list has %v, %v", list.Tools[0].InputSchema, err)
			}
			if res, text := call(t, c, "keep", map[string]any{"note": "milk", "day": "Monday"}); res.IsError || !slices.Equal(site.posted(), []string{"milkMonday"}) {
				t.Errorf("the repaired tool has posted %v: %s", site.posted(), text)
			}
		})
	}
}

// TestRepairForStatelessClients has a client whose list never changes: it has no tool for repairs, which can be
// called all the same.
func TestRepairForStatelessClients(t *testing.T) {
	t.Parallel()
	dir, tool := notesSource(t)
	before := read(t, tool)
	site, c := serveNotesTo(t, "", serve.Options{Dir: dir}, &mcp.ElicitResult{Action: "accept", Content: map[string]any{"write": true}})
	if got := names(t, c); !slices.Equal(got, []string{"keep"}) {
		t.Errorf("the list is %v", got)
	}
	site.set("Keep note", "")
	refused(t, c, "SITE_DRIFT", "keep", map[string]any{"note": "milk"})
	if res, text := call(t, c, "site_repair", map[string]any{"accept": true}); res.IsError || read(t, tool) == before {
		t.Fatal(text)
	}
	if res, text := call(t, c, "keep", map[string]any{"note": "milk"}); res.IsError {
		t.Error(text)
	}
}

// TestConsentIsForTheShownRepair proposes another repair while a person is asked by a client that repeats its calls: the
// person is asked again.
func TestConsentIsForTheShownRepair(t *testing.T) {
	t.Parallel()
	dir, tool := notesSource(t)
	before := read(t, tool)
	site := &notes{button: "Keep note"}
	server := httptest.NewServer(site)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	s := tooltest.NewServer(t, app.Config{Site: served(t, serve.Options{Dir: dir, Origin: server.URL}), Surface: toolkit.Options{Scope: compiled.Scope}})
	other := s.Connect(t.Name(), tooltest.SessionRevision, nil) // of the same session
	var questions []string
	c := s.Connect(t.Name(), "", &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if questions = append(questions, req.Params.Message); len(questions) > 1 {
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
		site.set("Keep it", "")
		refused(t, other, "SITE_DRIFT", "keep", map[string]any{"note": "milk"})
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"write": true}}, nil
	}})
	refused(t, c, "SITE_DRIFT", "keep", map[string]any{"note": "milk"})
	refused(t, c, "POLICY_DENIED", "site_repair", map[string]any{"accept": true})
	if len(questions) != 2 || !strings.Contains(questions[0], "Keep note") || !strings.Contains(questions[1], "Keep it") || read(t, tool) != before {
		t.Errorf("the questions are %q, the file is %s", questions, read(t, tool))
	}
}

// TestRepairsAreOfTheirSession proposes a repair to one session: another one neither has the tool for repairs nor gets
// the words of the page, until the site drifts for it too. When one has accepted, the other's repair is gone.
func TestRepairsAreOfTheirSession(t *testing.T) {
	t.Parallel()
	dir, _ := notesSource(t)
	site := &notes{button: "Keep note of Ann"}
	server := httptest.NewServer(site)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	s := tooltest.NewServer(t, app.Config{Site: served(t, serve.Options{Dir: dir, Origin: server.URL, AcceptRepairs: true}), Surface: toolkit.Options{Scope: compiled.Scope}})
	ann, bob := s.Connect(t.Name()+"/ann", tooltest.SessionRevision, nil), s.Connect(t.Name()+"/bob", tooltest.SessionRevision, nil)
	stateless, milk := s.Connect(t.Name()+"/stateless", "", nil), map[string]any{"note": "milk"}
	refused(t, ann, "SITE_DRIFT", "keep", milk)
	awaitNames(t, ann, "keep", "site_repair")
	awaitNames(t, bob, "keep")
	refused(t, bob, "TOOL_NOT_VISIBLE", "site_repair", nil)
	refused(t, stateless, "TOOL_NOT_VISIBLE", "site_repair", nil)
	refused(t, bob, "SITE_DRIFT", "keep", milk)
	if res, text := call(t, ann, "site_repair", map[string]any{"accept": true}); res.IsError {
		t.Fatal(text)
	}
	if res, text := call(t, bob, "keep", milk); res.IsError {
		t.Error(text)
	}
	awaitNames(t, bob, "keep")
}

// TestRepairOfAChangedSource changes the files of a site that is served: a repair names the places of the file that the
// server has read, and the clients know the facts of that time.
func TestRepairOfAChangedSource(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, old, text, want string }{
		"the tool":  {"tools/keep.yaml", "steps:\n", "steps:\n  - {tool: interact, target: {role: button, name: Keep}, optional: true}\n", "has changed since the server read it"},
		"the facts": {"site.yaml", "origins:", "facts:\n  kept: {observe: {url: /kept}, event: true}\norigins:", "site.yaml has other facts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, tool := notesSource(t)
			site, client := serveNotes(t, serve.Options{Dir: dir, AcceptRepairs: true}, nil)
			site.set("Keep note", "")
			refused(t, client, "SITE_DRIFT", "keep", map[string]any{"note": "milk"})
			file := filepath.Join(dir, filepath.FromSlash(c.file))
			if err := os.WriteFile(file, []byte(strings.Replace(read(t, file), c.old, c.text, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			before := read(t, tool)
			if text := refused(t, client, "FAILED", "site_repair", map[string]any{"accept": true}); !strings.Contains(text, c.want) || !strings.Contains(text, "start the server again") {
				t.Errorf("the refusal is %s", text)
			}
			if read(t, tool) != before {
				t.Errorf("the file is %s", read(t, tool))
			}
		})
	}
}
