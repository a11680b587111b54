// Package attacks_test is the hostile-site suite: a table of attacks on the server, each by a page,
// by another client or by the caller's own arguments, and one test that runs every attack over the
// transports that it is about. Each topic has a file, which adds its attacks to the table with add;
// client_test.go has what an attack calls tools with, site_test.go the sites of attackers and
// victims.
//
// docs/internals/security.md says which attack proves which claim. The package must not import a handler:
// attacks go through a transport.
package attacks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// attack is one row of the table. Its run fails the test when the attack succeeds.
type attack struct {
	name  string      // unique; the name of its subtest, in the form topic_what
	about string      // one sentence: who attacks what, and what must happen
	on    []transport // nil means every transport that calls tools
	with  *server     // nil means plain
	run   func(*client)
}

// leastAttacks is the number of attacks that the suite has at least, so that none gets lost in a merge.
const leastAttacks = 180

// table holds every attack.
var table []attack

// add adds attacks to the table. A topic file calls it once, as the value of a variable.
func add(rows ...attack) struct{} {
	table = append(table, rows...)
	return struct{}{}
}

func TestMain(m *testing.M) { tooltest.Main(m) }

// TestAttacks runs every attack. Over every transport that it is about it runs by night; by day over one of them, which
// neighbours of the table share out. Select with -run TestAttacks/NAME/TRANSPORT.
func TestAttacks(t *testing.T) {
	names := map[string]bool{}
	for _, a := range table {
		topic, what, _ := strings.Cut(a.name, "_")
		if topic == "" || what == "" || a.about == "" || names[a.name] {
			t.Errorf("attack %q needs a unique name of the form topic_what, and a sentence about it", a.name)
		}
		names[a.name] = true
	}
	if len(table) < leastAttacks {
		t.Errorf("the suite has %d attacks, and %d are promised", len(table), leastAttacks)
	}
	t.Logf("%d attacks", len(table))
	rows := slices.SortedFunc(slices.Values(table), func(a, b attack) int { return strings.Compare(a.name, b.name) })
	all := newServers(t)
	for i, a := range rows {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			over := a.on
			if over == nil {
				over = []transport{overStdio, overHTTP, overCommands}
			}
			if !proctest.IsNightly() {
				over = over[i%len(over):][:1]
			}
			with := a.with
			if with == nil {
				with = plain
			}
			for _, name := range over {
				t.Run(string(name), func(t *testing.T) {
					t.Parallel()
					a.run(all.connect(t, with, name))
				})
			}
		})
	}
}
