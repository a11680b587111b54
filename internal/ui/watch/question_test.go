package watch_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveAsking starts a server whose policy asks before every navigation.
func serveAsking(t *testing.T) *tooltest.Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte("version: 1\ndecisions:\n  - {tool: navigate, decision: ask}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return tooltest.NewOwnServer(t, app.Config{Policy: path})
}

// navigate starts a call that the policy asks about, and returns where its result comes.
func navigate(t *testing.T, c tooltest.Client, title string) <-chan *mcp.CallToolResult {
	t.Helper()
	return navigateTo(t, c, "data:text/html,<title>"+title+"</title>")
}

func navigateTo(t *testing.T, c tooltest.Client, address string) <-chan *mcp.CallToolResult {
	t.Helper()
	out := make(chan *mcp.CallToolResult, 1)
	go func() {
		res, err := c.CallTool(t.Context(), tooltest.Params("navigate", tooltest.Args{"url": address}))
		if err != nil {
			t.Errorf("navigate: %v", err)
		}
		out <- res
	}()
	return out
}

const (
	questionIsOpen = "document.querySelector('#questions form')"
	noQuestion     = "document.querySelector('#questions').hidden"
)

// TestAPersonWhoWatchesAnswers allows, allows for the session and refuses calls of a client that cannot be
// asked; without a person who watches, the refusal says where one would be asked.
func TestAPersonWhoWatchesAnswers(t *testing.T) {
	t.Parallel()
	s := serveAsking(t)
	for _, revision := range []string{tooltest.SessionRevision, ""} {
		s.Connect("unwatched"+revision, revision, nil).
			ExpectRefusal("CONFIRMATION_REQUIRED", "navigate", tooltest.Args{"url": "data:text/html,x"}, "callsheet ui")
	}
	person, _ := s.OpenUI()
	person.WaitScript(noQuestion)
	agent := s.Connect("agent", "", nil)

	refused := navigate(t, agent, "Refused")
	person.WaitScript(questionIsOpen)
	person.Expect("read_page", nil, "Allow navigate", "policy.yaml:3", "Session agent")
	person.WaitScript("/question waits/.test(document.querySelector('[role=status]').textContent)")
	person.Call("interact", tooltest.Args{"query": "Refuse button"})
	if res := <-refused; !res.IsError || !strings.Contains(tooltest.Text(res), "did not allow") {
		t.Errorf("refused: %s", tooltest.Text(res))
	}
	person.WaitScript(noQuestion)

	allowed := navigate(t, agent, "Allowed")
	person.WaitScript(questionIsOpen)
	person.Call("interact", tooltest.Args{"query": "this tool, for the session"})
	person.Call("interact", tooltest.Args{"query": "Allow button"})
	if res := <-allowed; res.IsError {
		t.Errorf("allowed: %s", tooltest.Text(res))
	}
	if res := <-navigate(t, agent, "Again"); res.IsError {
		t.Errorf("allowed for the session: %s", tooltest.Text(res))
	}
	person.WaitScript("document.querySelector('main h1').textContent === 'Again'")
}

// TestTheFirstAnswerCounts asks a client and the person who watches at once: each answers once first, and
// what is left of the question is withdrawn.
func TestTheFirstAnswerCounts(t *testing.T) {
	t.Parallel()
	s := serveAsking(t)
	person, _ := s.OpenUI()
	person.WaitScript(noQuestion)
	asked, answer, withdrawn := make(chan struct{}), make(chan string), make(chan struct{})
	agent := s.ConnectClient(mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked <- struct{}{}
			select {
			case action := <-answer:
				return &mcp.ElicitResult{Action: action, Content: map[string]any{"covers": "this call"}}, nil
			case <-ctx.Done():
				withdrawn <- struct{}{}
				return nil, ctx.Err()
			}
		},
	}), "agent", tooltest.SessionRevision)

	byClient := navigate(t, agent, "One")
	<-asked
	person.WaitScript(questionIsOpen)
	answer <- "accept"
	if res := <-byClient; res.IsError {
		t.Errorf("the client allowed it: %s", tooltest.Text(res))
	}
	person.WaitScript(noQuestion)

	byPerson := navigate(t, agent, "Two")
	<-asked
	person.WaitScript(questionIsOpen)
	person.Call("interact", tooltest.Args{"query": "Refuse button"})
	if res := <-byPerson; !res.IsError {
		t.Errorf("the person refused it: %s", tooltest.Text(res))
	}
	<-withdrawn
}

// TestAQuestionOfAStatelessClientIsShown answers by the client, which repeats its call.
func TestAQuestionOfAStatelessClientIsShown(t *testing.T) {
	t.Parallel()
	s := serveAsking(t)
	person, _ := s.OpenUI()
	person.WaitScript(noQuestion)
	answer := make(chan string)
	agent := s.ConnectClient(mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: <-answer, Content: map[string]any{"covers": "this call"}}, nil
		},
	}), "agent", "")
	byPerson := navigate(t, agent, "One")
	person.WaitScript(questionIsOpen)
	person.Call("interact", tooltest.Args{"query": "Refuse button"})
	person.WaitScript(noQuestion)
	answer <- "accept" // comes second
	if res := <-byPerson; !res.IsError {
		t.Errorf("the person refused it first: %s", tooltest.Text(res))
	}
	byClient := navigate(t, agent, "Two")
	person.WaitScript(questionIsOpen)
	answer <- "accept"
	if res := <-byClient; res.IsError {
		t.Errorf("the client allowed it: %s", tooltest.Text(res))
	}
	person.WaitScript(noQuestion)
}
