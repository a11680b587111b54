package journal_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// writerVariable makes the test binary a process that writes until it is killed: DIR NAME.
const writerVariable = "CALLSHEET_TEST_WRITER"

func TestMain(m *testing.M) {
	if args := os.Getenv(writerVariable); args != "" {
		dir, name, _ := strings.Cut(args, " ")
		if err := write(dir, name, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// write writes journal entries, notes and checkpoints in turn and says after each what it was
// promised is there.
func write(dir, name string, ack io.Writer) error {
	d, err := statedir.New(dir)
	if err != nil {
		return err
	}
	s := database.New(d)
	calls, memory, memos := journal.NewJournal(s, nil), journal.NewMemory(s), journal.NewMemos(s)
	ctx := context.Background()
	for i := range 1000 {
		n := strconv.Itoa(i)
		switch i % 3 {
		case 0:
			calls.Add(journal.Entry{Session: name, Tool: n, StartedAt: time.Now(), Outcome: "ok", Args: "{}"})
			err = calls.Flush(ctx)
		case 1:
			_, err = memory.Record(ctx, name, n, "value "+n)
		case 2:
			_, err = memos.Save(ctx, journal.Checkpoint, name, journal.Memo{Task: n})
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(ack, n)
	}
	return nil
}

// TestKilledWritersLoseNothing kills four processes at random points of a thousand writes each.
// Everything that they said was written is there, and the database is sound.
func TestKilledWritersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	acks := make([]int, 4) // the last write that each has acknowledged
	var all sync.WaitGroup
	for i := range acks {
		after := 30 + rand.IntN(200)
		all.Go(func() { acks[i] = killAfter(t, dir, fmt.Sprintf("w%d", i), after) })
	}
	all.Wait()
	if t.Failed() {
		return
	}
	d, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := database.New(d)
	t.Cleanup(func() { _ = s.Close() })
	for i, last := range acks {
		check(t, s, fmt.Sprintf("w%d", i), last)
	}
	checkIntegrity(t, s)
}

// killAfter runs a writer and kills it once it has acknowledged so many writes; it returns the last
// acknowledged one.
func killAfter(t *testing.T, dir, name string, after int) int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerVariable+"="+dir+" "+name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return 0
	}
	var problems strings.Builder
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return 0
	}
	last := -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if last, err = strconv.Atoi(lines.Text()); err != nil {
			t.Error(err)
		}
		if last == after {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait() // it was killed
	if last < after {
		t.Errorf("writer %s ended after %d writes: %s", name, last, &problems)
	}
	return last
}

// check finds everything that a writer has acknowledged.
func check(t *testing.T, s *database.Store, name string, last int) {
	t.Helper()
	entries, err := journal.NewJournal(s, nil).Recent(t.Context(), journal.Query{Session: name})
	if err != nil {
		t.Fatal(err)
	}
	notes, err := journal.NewMemory(s).Query(t.Context(), name, "", 10000)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, e := range entries {
		have[e.Tool] = true
	}
	for _, n := range notes {
		have[n.Key] = n.Value == "value "+n.Key
	}
	newest := -1 // a later checkpoint replaces the one before
	for i := 0; i <= last; i++ {
		if i%3 == 2 {
			newest = i
		} else if !have[strconv.Itoa(i)] {
			t.Errorf("%s: write %d of %d was acknowledged and is lost", name, i, last)
		}
	}
	memo, err := journal.NewMemos(s).Load(t.Context(), journal.Checkpoint, name, "")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := strconv.Atoi(memo.Task); err != nil || n < newest {
		t.Errorf("%s: checkpoint %d was acknowledged, the stored one is %q", name, newest, memo.Task)
	}
}
