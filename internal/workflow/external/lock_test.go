//go:build unix

package external

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLock(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"a": `+stdioEntry("ok", "")+`, "off": {"command": "nowhere", "disabled": true}`)
	ctx := withTimeout(t, 60*1e9)
	if _, err := l.Lock(ctx, false); err == nil {
		t.Error("there is no lock file, and nothing is wrong")
	}
	changes, err := l.Lock(ctx, true)
	if err != nil || fmt.Sprint(changes) != "[a added]" {
		t.Fatalf("%v, %v", changes, err)
	}
	if changes, err = l.Lock(ctx, false); err != nil || len(changes) != 0 {
		t.Errorf("nothing changed: %v, %v", changes, err)
	}
	locked := &fixture{Registry: l.open(func(c *Config) { c.Locked = true }), t: t, dir: l.dir, log: l.log,
		mark: l.mark}
	if got := locked.callText("a", "echo", `{"text": "as locked"}`); got != "as locked" {
		t.Error(got)
	}
	locked.callText("a", "grow", "")
	eventually(t, "the change is known", func() bool {
		_, err := locked.Catalog(ctx, "a")
		return ReasonOf(err) == Drift
	})
	wantError(t, locked.callFails(Drift, "a", "echo", ""), "a:grown added", "lock --update")

	path := filepath.Join(l.dir, "servers.lock.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), `"echo": "`, `"echo": "0`, 1)
	text = strings.Replace(text, `"env":`, `"older":`, 1)
	l.write("servers.lock.json", text)
	changes, err = l.Lock(ctx, false)
	if err != nil || fmt.Sprint(changes) != "[a:echo changed a:older removed a:env added]" {
		t.Errorf("%v, %v", changes, err)
	}
	again := &fixture{Registry: l.open(func(c *Config) { c.Locked = true }), t: t, dir: l.dir, log: l.log, mark: l.mark}
	if _, err := again.Catalog(ctx, "a"); ReasonOf(err) != Drift {
		t.Errorf("a cached catalog is held against the lock too: %v", err)
	}
}
