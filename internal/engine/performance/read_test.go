package performance

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const sample = `{"metadata":{},"traceEvents":[
{"name":"TracingStartedInBrowser","ph":"I","pid":1,"tid":1,"ts":1000,"args":{"data":{"frames":[{"frame":"F0F0F0F0F0F0F0F0","isOutermostMainFrame":true,"processId":2}]}}},
{"name":"thread_name","ph":"M","pid":2,"tid":2,"ts":0,"args":{"name":"CrRendererMain"}},
{"name":"navigationStart","ph":"R","pid":2,"tid":2,"ts":10000,"args":{"frame":"F0F0F0F0F0F0F0F0","data":{"documentLoaderURL":"https://a.example/?token=x"}}},
{"name":"RunTask","ph":"X","pid":2,"tid":2,"ts":20000,"dur":90000,"args":{}},
{"name":"EvaluateScript","ph":"X","pid":2,"tid":2,"ts":21000,"dur":80000,"args":{"data":{"url":"https://cdn.other.example/a.js"}}},
{"name":"RunTask","ph":"X","pid":2,"tid":3,"ts":20000,"dur":900000,"args":{}},
{"name":"LayoutShift","ph":"I","pid":2,"tid":2,"ts":30000,"args":{"frame":"F0F0F0F0F0F0F0F0","data":{"weighted_score_delta":0.1,"impacted_nodes":[{"old_rect":[0,0,1,1],"new_rect":[0,9,1,1]}]}}},
{"name":"LayoutShift","ph":"I","pid":2,"tid":2,"ts":40000,"args":{"frame":"F0F0F0F0F0F0F0F0","data":{"weighted_score_delta":0.2}}},
{"name":"LayoutShift","ph":"I","pid":2,"tid":2,"ts":9000000,"args":{"frame":"F0F0F0F0F0F0F0F0","data":{"weighted_score_delta":0.25}}},
{"name":"LayoutShift","ph":"I","pid":2,"tid":2,"ts":9000001,"args":{"frame":"F0F0F0F0F0F0F0F0","data":{"weighted_score_delta":9,"had_recent_input":true}}},
{"name":"Strange","ph":"X","ts":"not a number"}]}`

func TestRead(t *testing.T) {
	t.Parallel()
	trace, err := Read(bytes.NewReader(zipped(t, sample)))
	if err != nil {
		t.Fatal(err)
	}
	if trace.URL != "https://a.example/?token=x" || trace.TBT != 40 || trace.CLS < 0.299 || trace.CLS > 0.301 || len(trace.Tasks) != 1 {
		t.Errorf("%s", trace.Summary())
	}
	f, ok := trace.Insight("LongTasks")
	if !ok || len(f.Details) != 1 || f.Details[0] != "90 ms at 10 ms: EvaluateScript https://cdn.other.example/a.js 80 ms" {
		t.Errorf("%v", f)
	}
	if f, _ := trace.Insight("ThirdParties"); !strings.Contains(f.Text, "1 other sites") || !strings.Contains(f.Details[0], "other.example: 0 requests") {
		t.Errorf("%v", f)
	}
	if _, ok := trace.Insight("None"); ok {
		t.Error("an unknown insight was found")
	}
}

func TestReadRefusesIncompleteTraces(t *testing.T) {
	t.Parallel()
	whole := zipped(t, sample)
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "other JSON": zipped(t, `{"a":1}`), "a list": zipped(t, `[]`), "no list": zipped(t, `{"traceEvents":1}`),
		"the first half": whole[:len(whole)/2], "text that breaks off": zipped(t, sample[:400]),
	} {
		if _, err := Read(bytes.NewReader(data)); !errors.Is(err, ErrNoTrace) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	hide := func(string) string { return "hidden://" }
	if err := Clean(&out, bytes.NewReader(zipped(t, sample)), hide, func(_, _ string) string { return "" }, bytes.Clone); err != nil {
		t.Fatal(err)
	}
	trace, err := Read(&out)
	if err != nil || trace.URL != "hidden://" || len(trace.Shifts) != 3 {
		t.Errorf("%+v, %v", trace, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Add(`{"traceEvents":[{"name":"RunTask","ph":"X","dur":1e9},{"name":"LayoutShift","args":{"data":{"impacted_nodes":[{}]}}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := Read(bytes.NewReader(zipped(t, text)))
		if err != nil {
			if !errors.Is(err, ErrNoTrace) {
				t.Error(err)
			}
			return
		}
		_ = trace.Summary()
		for _, i := range trace.Insights() {
			if i.Name == "" || i.Text == "" {
				t.Errorf("%+v", i)
			}
		}
	})
}

func TestCleanRemovesOtherTabs(t *testing.T) {
	t.Parallel()
	const own, other, child = `"frame":"AAAAAAAAAAAAAAAA"`, `"frame":"BBBBBBBBBBBBBBBB"`, `"frame":"CCCCCCCCCCCCCCCC"`
	text := `{"traceEvents":[
{"name":"process_name","ph":"M","pid":2,"args":{"name":"Renderer"}},{"name":"process_name","ph":"M","pid":3,"args":{"name":"Renderer"}},{"name":"process_name","ph":"M","pid":1,"args":{"name":"Browser"}},
{"name":"process_labels","ph":"M","pid":2,"args":{"labels":"secret title"}},
{"name":"ResourceSendRequest","ph":"I","pid":2,"args":{"data":{` + child + `,"requestId":"2.1","url":"http://mine/child.js"}}},
{"name":"TracingStartedInBrowser","ph":"I","pid":1,"args":{"data":{"frames":[{` + own + `,"processId":2}]}}},
{"name":"FrameCommittedInBrowser","ph":"I","pid":1,"args":{"data":{` + child + `,"parent":"AAAAAAAAAAAAAAAA","processId":2}}},
{"name":"FrameCommittedInBrowser","ph":"I","pid":1,"args":{"data":{` + other + `,"url":"http://secret.example/","processId":3}}},
{"name":"ResourceSendRequest","ph":"I","pid":2,"args":{"data":{` + other + `,"requestId":"3.1","url":"http://secret.example/a.js"}}},
{"name":"ResourceFinish","ph":"I","pid":2,"args":{"data":{"requestId":"3.1","secret":1}}},
{"name":"ResourceFinish","ph":"I","pid":2,"args":{"data":{"requestId":"2.1","mine":1}}},
{"name":"RunTask","ph":"X","pid":3,"args":{"secret":1}},
{"name":"Work","ph":"X","pid":1,"args":{"what":"loading http://secret.example/b.js","same":"http://mine/child.js"}},
{"name":"Frame","ph":"I","pid":2,"args":{"frame":"7"}}]}`
	var out bytes.Buffer
	if err := Clean(&out, bytes.NewReader(zipped(t, text)), strings.ToUpper, func(_, _ string) string { return "" }, bytes.Clone); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil || strings.Contains(string(plain), "secret") {
		t.Errorf("Clean kept events of another tab: %s, %v", plain, err)
	}
	for want, times := range map[string]int{"HTTP://MINE/CHILD.JS": 2, `"mine":1`: 1, foreignAddress: 1, `"frame":"7"`: 1} {
		if got := strings.Count(string(plain), want); got != times {
			t.Errorf("%q occurs %d times, want %d, in\n%s", want, got, times, plain)
		}
	}
}
