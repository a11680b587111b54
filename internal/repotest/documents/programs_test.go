//go:build unix

package documents

import (
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// scratch is where the tests share programs and the server that toolgen init begins.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "documents-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch) // a leftover below the directory of temporary files
	os.Exit(code)
}

var (
	buildPrograms = sync.OnceValues(func() ([]byte, error) {
		bin := filepath.Join(scratch, "bin")
		if out, err := output(checkout, "make", "build", "BIN="+bin); err != nil {
			return out, err
		}
		return output(filepath.Join(checkout, "gen"), "go", "build", "-o", bin+"/", "./cmd/toolgen")
	})
	beginModule = sync.OnceValues(func() ([]byte, error) {
		return output(checkout, filepath.Join(scratch, "bin", "toolgen"), "init", "--cli", filepath.Join(scratch, "hello"), "--toolkit", filepath.Join(checkout, "gen"))
	})
)

func output(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// programs returns the directory of the programs of this checkout.
func programs(t *testing.T) string {
	t.Helper()
	if out, err := buildPrograms(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(scratch, "bin")
}

// startedModule returns the directory of a server that toolgen init has begun.
func startedModule(t *testing.T) string {
	t.Helper()
	programs(t)
	if out, err := beginModule(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(scratch, "hello")
}

// bySection returns the blocks of each section.
func bySection(blocks []block) iter.Seq[[]block] {
	return func(yield func([]block) bool) {
		for len(blocks) > 0 {
			n := 1
			for n < len(blocks) && blocks[n].section == blocks[0].section {
				n++
			}
			if !yield(blocks[:n]) {
				return
			}
			blocks = blocks[n:]
		}
	}
}

// runs reports whether a command of the block runs.
func (b block) runs() bool {
	for _, c := range b.commands() {
		if c.mark == nil {
			return true
		}
	}
	return false
}
