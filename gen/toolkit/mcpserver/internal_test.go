package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// recorder is a list that changes and a client that hears of it.
type recorder struct {
	mu    sync.Mutex
	tools toolkit.Set
	heard []time.Duration
	begun time.Time
	fail  error
}

func (r *recorder) visible() toolkit.Shown {
	r.mu.Lock()
	defer r.mu.Unlock()
	return toolkit.Shown{Tools: r.tools}
}

func (r *recorder) show(tools ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tools = toolkit.Set{}
	for _, i := range tools {
		r.tools = r.tools.With(i)
	}
}

func (r *recorder) send(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail == nil {
		r.heard = append(r.heard, time.Since(r.begun))
	}
	return r.fail
}

// heardAt is when notifications were sent.
func (r *recorder) heardAt() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.heard
}

func (r *recorder) failWith(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = err
}

func withNotifier(t *testing.T, test func(*recorder, *listNotifier)) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		r := &recorder{begun: time.Now()}
		a := newListNotifier(r.visible, r.send)
		test(r, a)
		a.stop()
	})
}

func TestListNotifierGathers(t *testing.T) {
	t.Parallel()
	withNotifier(t, func(r *recorder, a *listNotifier) {
		a.start()
		for i := range 10 {
			r.show(i)
			a.notify()
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if heard := r.heardAt(); len(heard) != 1 || heard[0] != 45*time.Millisecond+gatherTime {
			t.Errorf("heard at %v", heard)
		}
	})
}

// TestListNotifierGathersEntries changes the entries of a session while its tools stay: a burst is one
// notification, and a list that the client has is none.
func TestListNotifierGathersEntries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(*testing.T) {
		entries := ""
		r := &recorder{begun: time.Now()}
		a := newListNotifier(func() toolkit.Shown { return toolkit.Shown{Entries: entries} }, r.send)
		a.start()
		for _, entries = range []string{"a", "ab", "abc"} {
			a.notify()
		}
		time.Sleep(time.Second)
		synctest.Wait() // until the notification has read the entries
		entries = "abcd"
		a.notify()
		entries = "abc" // the page has taken it back
		a.notify()
		time.Sleep(time.Second)
		if heard := r.heardAt(); len(heard) != 1 {
			t.Errorf("heard at %v", heard)
		}
		a.stop()
	})
}

func TestListNotifierDoesNotStarve(t *testing.T) {
	t.Parallel()
	withNotifier(t, func(r *recorder, a *listNotifier) {
		a.start()
		for i := range 100 {
			r.show(i)
			a.notify()
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if heard := r.heardAt(); len(heard) != 4 || heard[0] > maxGatherTime {
			t.Errorf("heard at %v", heard)
		}
	})
}

func TestListNotifierSkipsListsOfTheClient(t *testing.T) {
	t.Parallel()
	withNotifier(t, func(r *recorder, a *listNotifier) {
		r.show(1)
		a.notify() // not initialized yet
		time.Sleep(time.Second)
		r.failWith(errors.New("no stream"))
		a.start()
		time.Sleep(time.Second)
		r.failWith(nil)
		a.notify() // with a stream
		time.Sleep(time.Second)
		if heard := r.heardAt(); len(heard) != 1 {
			t.Errorf("heard at %v", heard)
		}
		r.show(2)
		a.listed(r.visible()) // the client has just asked
		a.notify()
		r.show(3)
		a.notify()
		r.show(2)
		a.notify()
		time.Sleep(time.Second)
		r.show(4)
		a.notify()
		a.stop()
		time.Sleep(time.Second)
		if heard := r.heardAt(); len(heard) != 1 {
			t.Errorf("heard at %v", heard)
		}
	})
}

// TestBodiesAreJSON checks that any result becomes one line of JSON that says the same.
func TestBodiesAreJSON(t *testing.T) {
	t.Parallel()
	_, stateless := envelopes([]byte(`{"name":"n"}`))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("a<&\"\\\n\r\u2028\u2029\u0000é😀")), -1, 40, -1).Draw(t, "text")
		data := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "data")
		structured, err := json.MarshalIndent(map[string]string{"v": text}, "", "\r\n")
		if err != nil {
			t.Fatal(err)
		}
		res := toolkit.CallResult{Result: toolkit.Image(text+"x", data, "image/png")}
		res.Structured = structured
		var b strings.Builder
		w := bufio.NewWriterSize(&b, writeSize)
		stateless.callBody(res, false).writeTo(w)
		_ = w.Flush()
		if strings.ContainsAny(b.String(), "\n\r\u2028\u2029") {
			t.Fatalf("more than one line: %q", b.String())
		}
		var got struct {
			Content []struct {
				Text string
				Data []byte
			}
			StructuredContent map[string]string
		}
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatal(err)
		}
		if got.Content[0].Text != text+"x" || string(got.Content[1].Data) != string(data) || got.StructuredContent["v"] != text {
			t.Fatalf("%q became %s", text, b.String())
		}
	})
}

func TestBodyStoreDropsWithTheRequest(t *testing.T) {
	t.Parallel()
	room := newBodyStore()
	ctx, cancel := context.WithCancel(t.Context())
	text, _ := json.Marshal(room.put(ctx, body{{text: []byte("{}")}}))
	if _, size, ok := room.take(text); !ok || size != len(text) {
		t.Error("the body is not returned")
	}
	if _, _, ok := room.take(text); ok {
		t.Error("the body is returned twice")
	}
	room.put(ctx, body{})
	cancel()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		room.mu.Lock()
		left := len(room.bodies)
		room.mu.Unlock()
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the body outlives its request")
		}
	}
}

func FuzzTakeBody(f *testing.F) {
	room := newBodyStore()
	text, _ := json.Marshal(room.put(f.Context(), body{}))
	f.Add(text)
	f.Add(text[:len(text)-1])
	f.Add(append(append([]byte{}, room.prefix...), `99999999999999999999"}`...))
	f.Fuzz(func(t *testing.T, p []byte) {
		if _, size, ok := room.take(p); ok && size > len(p) {
			t.Errorf("size %d of %d", size, len(p))
		}
	})
}

func BenchmarkEncodePicture1MiB(b *testing.B) {
	session, _ := envelopes([]byte(`{}`))
	res := toolkit.CallResult{Result: toolkit.Image("a picture", make([]byte, 1<<20), "image/png")}
	w := bufio.NewWriterSize(io.Discard, writeSize)
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		session.callBody(res, false).writeTo(w)
		_ = w.Flush()
	}
}

func BenchmarkEncodeText100KiB(b *testing.B) {
	session, _ := envelopes([]byte(`{}`))
	res := toolkit.CallResult{Result: toolkit.Text(strings.Repeat("<div class=\"a\">text & more</div>\n", 3100))}
	w := bufio.NewWriterSize(io.Discard, writeSize)
	b.SetBytes(int64(len(res.Content[0].Text)))
	b.ReportAllocs()
	for b.Loop() {
		session.callBody(res, false).writeTo(w)
		_ = w.Flush()
	}
}

// TestRefusalsLeaveTheSchemaAlone renders a refusal of a tool whose list entry has a schema, in both eras.
func TestRefusalsLeaveTheSchemaAlone(t *testing.T) {
	t.Parallel()
	session, stateless := envelopes([]byte(`{"name":"n"}`))
	res := toolkit.CallResult{Result: toolkit.Text("FAILED: no"), Refused: true, Structured: []byte(`{"code":"FAILED"}`)}
	for want, b := range map[string]body{
		`{"content":[{"type":"text","text":"FAILED: no"}],"isError":true,"_meta":{"refusal":{"code":"FAILED"}}}`: session.callBody(res, true),
		`{"resultType":"complete","content":[{"type":"text","text":"FAILED: no"}],"isError":true,` +
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n"},"refusal":{"code":"FAILED"}}}`: stateless.callBody(res, true),
		`{"content":[{"type":"text","text":"FAILED: no"}],"structuredContent":{"code":"FAILED"},"isError":true}`: session.callBody(res, false),
	} {
		var got strings.Builder
		w := bufio.NewWriter(&got)
		b.writeTo(w)
		_ = w.Flush()
		if got.String() != want {
			t.Errorf("got  %s\nwant %s", got.String(), want)
		}
	}
}
