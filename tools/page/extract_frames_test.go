package page_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// framedData serves pages whose tables stand in frames of the same site and of another one.
func framedData(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		other := "http://localhost" + r.Host[strings.LastIndex(r.Host, ":"):]
		fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>", map[string]string{
			"/":        `<title>Shop</title><h1>Shop</h1><iframe src=/parts></iframe><iframe src="` + other + `/tools"></iframe><iframe src=/hidden hidden></iframe>`,
			"/parts":   `<title>Parts</title><table><tr><th>Part<th>Price<tr><td>Base<td>12.50<tr><td>Shade<td>8</table>`,
			"/tools":   `<title>Tools</title><p id=vendor>Acme</p><table><tr><th>Tool<th>Weight<tr><td>Saw<td>2</table><iframe src=/deep></iframe>`,
			"/deep":    `<title>Deep</title><table><tr><th>Screw<th>Count<tr><td>M4<td>100</table>`,
			"/hidden":  `<table><tr><th>Secret<tr><td>x</table>`,
			"/hung":    `<title>Hung</title><p>Price list</p><iframe src=/parts></iframe>`,
			"/endless": `<title>Endless</title><script>for (;;);</script>`,
			"/two":     `<title>Two</title><table><tr><th>Part<th>Price<tr><td>Bolt<td>1</table><iframe src="` + other + `/parts"></iframe>`,
		}[r.URL.Path])
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

type extracted struct {
	URL, Frame, Source string
	Data               map[string]any
	Items              []map[string]any
	Missing, Also      []string
	From               map[string]string
	Unread             []string `json:"unread_frames"`
}

func extractData(t *testing.T, c tooltest.Client, a tooltest.Args) (r extracted) {
	t.Helper()
	text := tooltest.Unfenced(c.Call("extract_data", a))
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err, text)
	}
	return r
}

func TestExtractDataOfFrames(t *testing.T) {
	t.Parallel()
	home, c := framedData(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	for _, want := range []struct{ schema, frame, first string }{
		{`{"part":"string","price":"number"}`, "/parts", "map[part:Base price:12.5]"},
		{`{"tool":"string","weight":"number"}`, "/tools", "map[tool:Saw weight:2]"},
		{`{"screw":"string","count":"number"}`, "/deep", "map[count:100 screw:M4]"},
	} {
		r := extractData(t, c, tooltest.Args{"schema": want.schema, "multiple": true})
		if len(r.Items) == 0 || fmt.Sprint(r.Items[0]) != want.first || !strings.HasSuffix(r.Frame, want.frame) || r.URL != home+"/" || len(r.Missing)+len(r.Unread) > 0 {
			t.Errorf("%s gives %+v", want.schema, r)
		}
	}
	r := extractData(t, c, tooltest.Args{"schema": `{"title":"string","vendor":"string","price":"number","secret":"string"}`})
	if r.Data["title"] != "Shop" || r.Data["vendor"] != "Acme" || r.Data["price"] != 12.5 || !strings.HasSuffix(r.From["vendor"], "/tools") || fmt.Sprint(r.Missing) != "[secret]" {
		t.Errorf("the record is %+v", r)
	}
	frame := tooltest.Ref(t, c.Call("query_dom", tooltest.Args{"method": "css", "selector": "iframe[src*=tools]"}), "[e")
	for _, named := range []tooltest.Args{{"ref": frame}, {"selector": "iframe[src*=tools]"}, {"selector": "body:has(#vendor)"}} {
		named["schema"] = `{"vendor":"string","part":"string"}`
		if r := extractData(t, c, named); r.Data["vendor"] != "Acme" || fmt.Sprint(r.Missing) != "[part]" || !strings.HasSuffix(r.URL, "/tools") {
			t.Errorf("%v gives %+v", named, r)
		}
	}
}

// TestExtractDataPrefersThePage takes the page's own list, and says that a frame has another.
func TestExtractDataPrefersThePage(t *testing.T) {
	t.Parallel()
	home, c := framedData(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home + "/two"})
	r := extractData(t, c, tooltest.Args{"schema": `{"part":"string","price":"number"}`, "multiple": true})
	if len(r.Items) != 1 || r.Frame != "" || len(r.Also) != 1 || !strings.Contains(r.Also[0], "/parts has 2 more") {
		t.Errorf("the list is %+v", r)
	}
}

// TestExtractDataNamesUnreadFrames: a frame whose script never ends does not keep the others from being read.
func TestExtractDataNamesUnreadFrames(t *testing.T) {
	t.Parallel()
	home, c := framedData(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home + "/hung"})
	c.Call("javascript_tool", tooltest.Args{"code": `const f = document.createElement('iframe'); f.src = 'http://localhost:' + location.port + '/endless'; document.body.append(f);
await new Promise((done) => setInterval(() => f.contentDocument || done(), 10)); 1`})
	r := extractData(t, c, tooltest.Args{"schema": `{"part":"string","price":"number"}`, "multiple": true})
	if len(r.Items) != 2 || len(r.Unread) != 1 || !strings.Contains(r.Unread[0], "/endless") || !strings.HasPrefix(r.Unread[0], "[e") {
		t.Errorf("the list is %+v", r)
	}
}
