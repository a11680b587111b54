//go:build unix

package repotest

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/proctest"
)

const tutorial = "docs/tutorials/first-server.md"

// TestTutorial executes the commands of the tutorial in an empty directory, as somebody does who has
// read nothing else: the compiler comes by its address, at the version that this checkout is.
func TestTutorial(t *testing.T) {
	t.Parallel()
	proctest.Nightly(t)
	text, err := os.ReadFile(tutorial)
	if err != nil {
		t.Fatal(err)
	}
	address := proctest.FreeAddress(t)
	run := &reader{t: t, dir: t.TempDir(), env: append(publishCompiler(t), "HTTP="+address), address: address}
	began := time.Now()
	for _, b := range blocks(strings.ReplaceAll(string(text), "127.0.0.1:8080", address)) {
		run.follow(b)
		if t.Failed() {
			return
		}
	}
	t.Logf("the commands took %v", time.Since(began).Round(time.Second))
}

// block is a fenced block of a document.
type block struct{ language, word, text string }

var fence = regexp.MustCompile("(?ms)^```([a-z]+) ?([^\n]*)\n(.*?)^```$")

func blocks(text string) (out []block) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		out = append(out, block{m[1], m[2], m[3]})
	}
	return out
}

// reader does what the blocks of a document say.
type reader struct {
	t       *testing.T
	dir     string // where the next command runs
	env     []string
	address string // of the server that a block runs in the background
	said    string // by the last commands
}

func (r *reader) follow(b block) {
	r.t.Helper()
	switch {
	case b.language == "sh" && b.word == "background":
		r.serve(b.text)
	case b.language == "sh":
		r.run(b.text, b.word == "fails")
	case b.language == "text":
		if !matches(b.text, r.said) {
			r.t.Errorf("the document shows\n%s\nand the commands said\n%s", b.text, r.said)
		}
	case b.word != "":
		file := filepath.Join(r.dir, filepath.FromSlash(b.word))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(b.text), 0o644)); err != nil {
			r.t.Error(err)
		}
	}
}

// run executes commands in one shell, and keeps the directory that they end in.
func (r *reader) run(commands string, fails bool) {
	r.t.Helper()
	where := filepath.Join(r.t.TempDir(), "where")
	cmd := exec.CommandContext(r.t.Context(), "bash", "-ec", commands+"\npwd >"+where)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	r.said = string(out)
	if (err != nil) != fails {
		r.t.Errorf("%s\n%v\n%s", commands, err, out)
		return
	}
	if dir, err := os.ReadFile(where); err == nil {
		r.dir = strings.TrimSpace(string(dir))
	}
}

// serve runs a command until the test ends, and waits for its server.
func (r *reader) serve(command string) {
	r.t.Helper()
	cmd := exec.Command("bash", "-c", "exec "+strings.TrimSpace(command))
	cmd.Dir, cmd.Env = r.dir, r.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // make and go run leave children
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if conn, err := net.Dial("tcp", r.address); err == nil {
			_ = conn.Close()
			return
		}
	}
	r.t.Fatalf("%s does not serve %s", command, r.address)
}

// matches reports whether the lines of pattern, in which … stands for any text, are in the text one
// after the other.
func matches(pattern, text string) bool {
	parts := strings.Split(regexp.QuoteMeta(strings.TrimSpace(pattern)), "…")
	return regexp.MustCompile("(?s)" + strings.Join(parts, ".*?")).MatchString(text)
}
