package watch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestWatchersSeeNoSecret makes calls whose arguments have the value of a secret while a person watches.
func TestWatchersSeeNoSecret(t *testing.T) {
	t.Parallel()
	vault, err := secret.New(map[string]string{"PASS": "hunter2hunter2"})
	if err != nil {
		t.Fatal(err)
	}
	s := tooltest.NewOwnServer(t, app.Config{Vault: vault})
	defer s.Live.Watch()()
	agent := s.Connect("agent", "", nil)
	agent.Do("navigate", tooltest.Args{"url": "data:text/html,<button>hunter2hunter2</button>"})
	agent.Do("interact", tooltest.Args{"query": "hunter2hunter2 button"})
	agent.Do("read_page", tooltest.Args{"selector": "[title=hunter2hunter2]"})
	calls := s.Live.Since("agent", 0).Calls
	sent, err := json.Marshal(calls)
	if err != nil || len(calls) != 3 || strings.Contains(string(sent), "hunter2") {
		t.Errorf("%v: %d calls: %s", err, len(calls), sent)
	}
	if !strings.Contains(string(sent), "secret:PASS") {
		t.Errorf("no call had the secret: %s", sent)
	}
}
