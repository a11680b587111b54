package recorder_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// recorderVariable makes the test binary a process that records until it is killed: DIR SESSION.
const recorderVariable = "CALLSHEET_TEST_RECORDER"

func TestMain(m *testing.M) {
	if args := os.Getenv(recorderVariable); args != "" {
		dir, session, _ := strings.Cut(args, " ")
		if err := record(dir, session, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func opened(t testing.TB, dir string) *database.Store {
	t.Helper()
	d, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := database.New(d)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// session is a client of a server with two tools, under a recorder's layer.
func session(r *recorder.Recorder, id string, invoke func() (toolkit.CallResult, error)) (*toolkit.Session, error) {
	var tools []toolkit.Tool
	for _, name := range []string{"form_input", "memory"} { // memory is durable
		tools = append(tools, toolkit.Tool{
			Name: name, Traits: toolset.TraitsOf(name), Scopes: []string{"s"}, Tier: 1, Timeout: 1 << 40,
			Invoke: func(context.Context, *toolkit.Call, grant.Grant, []byte) (toolkit.CallResult, error) { return invoke() },
		})
	}
	surface, err := toolkit.NewSurface((&toolkit.Registry{Scopes: []string{"s"}, Tools: tools}).Index(), toolkit.Options{}, r.Middleware)
	if err != nil {
		return nil, err
	}
	return surface.NewSession(id, nil), nil
}

// durableEvery is the interval of the calls of record whose answer waits for the database.
const durableEvery = 5

// record makes calls and says after each answer how many there were. Its recording's id comes
// first.
func record(dir, name string, ack io.Writer) error {
	d, err := statedir.New(dir)
	if err != nil {
		return err
	}
	r := recorder.New(recorder.Config{Archive: recorder.NewArchive(database.New(d))})
	v, err := session(r, name, func() (toolkit.CallResult, error) { return toolkit.Unstructured(toolkit.Text("done"), nil) })
	if err != nil {
		return err
	}
	rec, err := r.Start(context.Background(), name, recorder.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintln(ack, rec.ID)
	for i := 1; i <= 2000; i++ {
		tool := "form_input"
		if i%durableEvery == 0 {
			tool = "memory"
		}
		res, err := v.Dispatch(context.Background(), toolkit.Request{Tool: tool, Args: fmt.Appendf(nil, `{"ref":"e%d"}`, i)})
		if err != nil || len(res.Content) != 1 {
			return fmt.Errorf("call %d: %v, %v", i, res.Content, err)
		}
		fmt.Fprintln(ack, i)
	}
	return nil
}

// TestKilledProcessLosesNoDurableStep kills four processes that record at random points. Every call
// up to the last answered one of a durable tool is in its recording, which can be read while it was
// not stopped, and goes on in another process.
func TestKilledProcessLosesNoDurableStep(t *testing.T) {
	dir := t.TempDir()
	type killed struct {
		id   string
		last int
	}
	all := make([]killed, 4)
	var group sync.WaitGroup
	for i := range all {
		after := 20 + rand.IntN(300)
		group.Go(func() { all[i].id, all[i].last = killAfter(t, dir, fmt.Sprintf("s%d", i), after) })
	}
	group.Wait()
	if t.Failed() {
		return
	}
	s := opened(t, dir)
	a := recorder.NewArchive(s)
	for i, k := range all {
		name := fmt.Sprintf("s%d", i)
		listed, err := a.List(t.Context(), name, 10)
		if err != nil || len(listed) != 1 || listed[0].ID != k.id || listed[0].StoppedAt != nil {
			t.Fatalf("%s: %+v, %v", name, listed, err)
		}
		steps, err := a.Steps(t.Context(), k.id)
		if err != nil || len(steps) < k.last-k.last%durableEvery || len(steps) > k.last+1 {
			t.Fatalf("%s: %d steps of %d answered calls, %v", name, len(steps), k.last, err)
		}
		r := recorder.New(recorder.Config{Archive: a})
		v, err := session(r, name, func() (toolkit.CallResult, error) { return toolkit.Unstructured(toolkit.Text("done"), nil) })
		if err != nil {
			t.Fatal(err)
		}
		if rec, err := r.Start(t.Context(), name, recorder.Options{Resume: k.id}); err != nil || rec.StepCount != len(steps) {
			t.Fatalf("resume %s: %+v, %v", name, rec, err)
		}
		if _, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "form_input", Args: []byte(`{"ref":"e0"}`)}); err != nil {
			t.Fatal(err)
		}
		if rec, err := r.Stop(t.Context(), name); err != nil || rec.StoppedAt == nil || rec.StepCount != len(steps)+1 {
			t.Errorf("stop %s: %+v, %v", name, rec, err)
		}
		steps, err = a.Steps(t.Context(), k.id)
		if err != nil {
			t.Fatal(err)
		}
		for j, step := range steps {
			want := fmt.Sprintf(`{"ref":"e%d"}`, j+1)
			if j == len(steps)-1 {
				want = `{"ref":"e0"}`
			}
			if step.Seq != j+1 || string(step.Args) != want {
				t.Fatalf("%s: step %d is number %d, %s", name, j+1, step.Seq, step.Args)
			}
		}
	}
}

// killAfter runs a recorder and kills it once it has answered so many calls; it returns its
// recording and the last answered call.
func killAfter(t *testing.T, dir, name string, after int) (id string, last int) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), recorderVariable+"="+dir+" "+name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	var problems strings.Builder
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if id == "" {
			id = lines.Text()
			continue
		}
		if last, err = strconv.Atoi(lines.Text()); err != nil {
			t.Error(err)
		}
		if last == after {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait() // it was killed
	if last < after {
		t.Errorf("recorder %s ended after %d calls: %s", name, last, &problems)
	}
	return id, last
}

// appendStep appends a step and waits for its outcome.
func appendStep(a *recorder.Archive, id, owner string, s *recorder.Step) error {
	outcome := make(chan error, 1)
	if err := a.Append(id, owner, s, func(err error) { outcome <- err }); err != nil {
		return err
	}
	return <-outcome
}

// TestRecordingHasOneOwner resumes a recording in another session.
func TestRecordingHasOneOwner(t *testing.T) {
	a := recorder.NewArchive(opened(t, t.TempDir()))
	rec, err := a.Begin(t.Context(), "s", "label", "first")
	if err != nil || !regexp.MustCompile(`^rec-\d{8}-\d{6}-[a-z2-7]{13}$`).MatchString(rec.ID) {
		t.Fatal(rec, err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if err := appendStep(a, rec.ID, "first", &recorder.Step{Tool: "x", Args: []byte("{}")}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if _, err := a.Resume(t.Context(), rec.ID, "other", "second"); err != nil {
		t.Fatal(err)
	}
	step := recorder.Step{Tool: "x", Args: []byte("{}")}
	if err := appendStep(a, rec.ID, "first", &step); !errors.Is(err, recorder.ErrNotOwner) {
		t.Errorf("who lost it appends: %v", err)
	}
	if _, err := a.Stop(t.Context(), rec.ID, "first"); !errors.Is(err, recorder.ErrNotOwner) {
		t.Errorf("who lost it stops: %v", err)
	}
	if err := appendStep(a, rec.ID, "second", &step); err != nil || step.Seq != 161 {
		t.Errorf("who has it appends number %d, %v", step.Seq, err)
	}
	steps, err := a.Steps(t.Context(), rec.ID)
	if err != nil || !slices.IsSortedFunc(steps, func(a, b recorder.Step) int { return a.Seq - b.Seq }) || len(steps) != 161 || steps[160].Seq != 161 {
		t.Errorf("%d steps, %v", len(steps), err)
	}
	if _, err := a.Stop(t.Context(), rec.ID, "second"); err != nil {
		t.Error(err)
	}
	if err := appendStep(a, rec.ID, "second", &step); !errors.Is(err, recorder.ErrNotOwner) {
		t.Errorf("a stopped recording grows: %v", err)
	}
	if _, err := a.Get(t.Context(), "rec-none"); !errors.Is(err, recorder.ErrNotFound) {
		t.Error(err)
	}
}

// TestWriteFailureIsReported records where nothing can be written: the call is answered, and the
// next answer says that it is not in the recording.
func TestWriteFailureIsReported(t *testing.T) {
	s := opened(t, t.TempDir())
	r := recorder.New(recorder.Config{Archive: recorder.NewArchive(s)})
	v, err := session(r, "s", func() (toolkit.CallResult, error) { return toolkit.Unstructured(toolkit.Text("done"), nil) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Start(t.Context(), "s", recorder.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.Path()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	var told []string
	for range 2 { // the write of the first step fails before its answer or after it
		res, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "form_input", Args: []byte(`{}`)})
		if err != nil || res.Refused || len(res.Content) == 0 || res.Content[0].Text != "done" {
			t.Fatalf("the answer is %+v, %v", res, err)
		}
		for _, c := range res.Content[1:] {
			told = append(told, c.Text)
		}
		if err := s.Queue().Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) == 0 || !strings.HasPrefix(told[0], "not recorded: ") {
		t.Errorf("the answers add %q", told)
	}
}

// BenchmarkMiddleware measures a call while no session, another session and its own session is
// recorded.
func BenchmarkMiddleware(b *testing.B) {
	for _, name := range []string{"idle", "another", "recorded"} {
		b.Run(name, func(b *testing.B) {
			r := recorder.New(recorder.Config{Archive: recorder.NewArchive(opened(b, b.TempDir()))})
			v, err := session(r, "recorded", func() (toolkit.CallResult, error) { return toolkit.CallResult{}, nil })
			if err != nil {
				b.Fatal(err)
			}
			if name != "idle" {
				if _, err := r.Start(b.Context(), name, recorder.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			layer := r.Middleware(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
				return toolkit.CallResult{}, nil
			})
			req, ctx := toolkit.Request{Tool: "form_input", Args: []byte(`{"ref":"e5","value":"Ann"}`)}, b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := layer(ctx, v, req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestIdleMiddlewareAllocatesNothing checks the cost of a call while no session is recorded.
func TestIdleMiddlewareAllocatesNothing(t *testing.T) {
	r := recorder.New(recorder.Config{})
	v, err := session(r, "s", func() (toolkit.CallResult, error) { return toolkit.CallResult{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	layer := r.Middleware(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
		return toolkit.CallResult{}, nil
	})
	if n := testing.AllocsPerRun(100, func() { _, _ = layer(t.Context(), v, toolkit.Request{Tool: "form_input"}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
