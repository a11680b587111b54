//go:build unix

package main

import (
	"strings"
	"syscall"
	"testing"
)

// TestSlowRecorderKeepsAddresses stops the recorder's process while the person goes from page to page: each step keeps
// the address that the person saw after it, not the one that the browser shows when the recorder goes on.
func TestSlowRecorderKeepsAddresses(t *testing.T) {
	t.Parallel()
	site := servePersonPages(t)
	r, h := startRecording(t, secretsFile(t), site+"/app")
	h.use("/app")
	if err := r.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"costs", "help"} {
		if name == "costs" {
			h.hover(`document.querySelector('nav a')`)
		} else {
			h.hover(css("#more span"))
			h.await(`!document.querySelector('#sub').hidden`)
		}
		h.click(css("[href='/app/" + name + "']"))
		h.await(`location.pathname === '/app/` + name + `'`)
	}
	h.click(css("#view"))
	if err := r.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	h.stop()
	r.end()
	_, steps := r.stored()
	var addresses []string
	for _, s := range steps {
		addresses = append(addresses, strings.TrimPrefix(s.URL, site))
	}
	if got, want := strings.Join(addresses, " "), "/app /app /app/costs /app/costs /app/help"; !strings.HasPrefix(got, want) {
		t.Errorf("the steps are at %s, want %s:\n%s", got, want, describeSteps(steps))
	}
}
