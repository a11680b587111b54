package main

import (
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// TestAPersonsSessionIsNotSaved attaches to a person's browser, whose logins no agent carries away or
// replaces.
func TestAPersonsSessionIsNotSaved(t *testing.T) {
	t.Parallel()
	site, s := personSite(t), newShell(t)
	person := startPerson(t, site+"/private")
	s.env = append(s.env, "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	s.does("attach --user-data-dir "+person.dir, "neither listed nor touched")
	s.does("navigate " + site + "/agent?n=one")
	for _, line := range []string{"session save work", "session export --out state.json"} {
		s.fails(exit.Tool, line, "POLICY_DENIED", "belongs to somebody else")
	}
	s.does("session list", "no session is saved")
	s.fails(exit.Usage, "daemon start --cdp-endpoint http://127.0.0.1:1 --keep-sessions", "browsers that callsheet starts")
}
