package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// assertion is the structured answer of oc_assert.
type assertion struct {
	Verdict  string `json:"verdict"`
	Failures []struct{ Path, Kind, Expected, Actual, Location string }
	Missing  []struct{ Path, Kind, Reason string }
	Reason   string
	Attempts int
	Evidence string
}

// assert calls oc_assert, which must answer whatever the verdict.
func assert(c tooltest.Client, contract string, more tooltest.Args) assertion {
	c.T.Helper()
	a := tooltest.Args{"contract": contract, "timeout_ms": 0}
	for name, v := range more {
		a[name] = v
	}
	res := c.Do(toolset.ToolOcAssert, a)
	if res.IsError {
		c.T.Fatalf("%s is refused: %s", contract, tooltest.Text(res))
	}
	var j assertion
	structured, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(structured, &j)
	}
	if err != nil {
		c.T.Fatalf("%s: %v", contract, err)
	}
	return j
}

// expectVerdict holds contracts against the verdicts they must have.
func expectVerdict(c tooltest.Client, want string, more tooltest.Args, contracts ...string) {
	c.T.Helper()
	for _, text := range contracts {
		j := assert(c, text, more)
		if j.Verdict != want || (want == "fail") != (len(j.Failures) > 0) || (want == "inconclusive") != (j.Reason != "" && len(j.Missing) > 0) {
			c.T.Errorf("%s: %+v, want %s", text, j, want)
		}
	}
}

func openContractPage(t *testing.T) (tooltest.Client, string) {
	t.Helper()
	base := tooltest.ServeSite(t)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": base + "/contract.html"})
	return c, base
}

// TestAssertPage judges what a page is.
func TestAssertPage(t *testing.T) {
	t.Parallel()
	c, base := openContractPage(t)
	c.Call(toolset.ToolJavascriptTool, tooltest.Args{"code": "document.querySelector('#name').focus()"})
	expectVerdict(c, "pass", nil,
		`{"url":"/contract.html"}`, `{"url":{"equals":"`+base+`/contract.html"}}`, `{"url":{"matches":"contract\\.html$"}}`,
		`{"dom_text":"Order received"}`, `{"dom_text":{"selector":"h1","equals":"Order received"}}`, `{"dom_text":{"selector":"li","equals":"Two"}}`,
		`{"not":{"dom_text":"Hidden words"}}`, `{"dom_count":{"selector":"li","eq":3}}`, `{"dom_count":{"selector":".none","max":0}}`,
		`{"element":"h1"}`, `{"element":{"selector":"#fold","state":"hidden"}}`, `{"element":{"selector":"#nothing","state":"absent"}}`,
		`{"element":{"selector":"#fold","state":"present"}}`, `{"element":{"selector":"#save","state":["visible","disabled"]}}`,
		`{"element":{"selector":"#name","state":["enabled","editable","focused","required"]}}`, `{"element":{"selector":"#fixed","state":"readonly"}}`,
		`{"element":{"selector":"#terms","state":"checked"}}`, `{"element":{"selector":"#news","state":"unchecked"}}`,
		`{"value":{"selector":"#name","equals":"Ann Lee"}}`, `{"value":{"selector":"#size","equals":"l"}}`, `{"no_dialog":true}`,
	)
	expectVerdict(c, "fail", nil,
		`{"url":"/done"}`, `{"dom_text":"Hidden words"}`, `{"dom_text":{"selector":".none","contains":"x"}}`, `{"dom_count":{"selector":"li","min":4}}`,
		`{"element":"#fold"}`, `{"element":"#nothing"}`, `{"element":{"selector":"h1","state":"hidden"}}`, `{"element":{"selector":"h1","state":"absent"}}`,
		`{"element":{"selector":"#save","state":"enabled"}}`, `{"element":{"selector":"#fixed","state":"editable"}}`,
		`{"element":{"selector":"#terms","state":"unchecked"}}`, `{"element":{"selector":"#news","state":"focused"}}`,
		`{"value":{"selector":"#name","equals":"Bob"}}`, `{"value":{"selector":"#none","equals":""}}`, `{"not":{"no_dialog":true}}`,
	)
	expectVerdict(c, "inconclusive", nil,
		`{"dom_text":{"selector":"###","contains":"x"}}`, `{"dom_count":{"selector":"li[","eq":3}}`, `{"not":{"element":"li["}}`,
		`{"element":{"selector":"h1","state":"checked"}}`, `{"value":{"selector":"h1","equals":"Order received"}}`, `{"value":{"selector":"li","equals":""}}`,
		`{"value":{"selector":"#password","equals":"correct horse"}}`, `{"not":{"value":{"selector":"#password","contains":"horse"}}}`,
	)
}

// TestContractOfMoreThanIsLookedAt: what was not seen decides nothing, in either direction.
func TestAssertBeyondTheReadingLimit(t *testing.T) {
	t.Parallel()
	c, _ := openContractPage(t)
	c.Call(toolset.ToolJavascriptTool, tooltest.Args{"code": `document.querySelector('ul').innerHTML = '<li class=gone>x</li>'.repeat(50) + '<li>y</li>';
		document.querySelector('h1').textContent = 'Order ' + 'word '.repeat(20000) + 'Z';
		document.querySelector('form').append(Object.assign(document.createElement('textarea'), { id: 'long', value: 'begin ' + 'a'.repeat(6000) + ' end' }));
		document.querySelector('form').append(Object.assign(document.createElement('textarea'), { id: 'longer', value: 'begin ' + 'a'.repeat(100000) + ' end' })); 1`})
	expectVerdict(c, "pass", nil,
		`{"element":{"selector":"li","state":"present"}}`, `{"dom_text":{"selector":"h1","matches":"^Order w.*"}}`, `{"dom_text":{"selector":"h1","contains":"Order"}}`,
		`{"value":{"selector":"#long","matches":"^begin a+ end$"}}`, `{"value":{"selector":"#long","contains":" end"}}`,
		`{"value":{"selector":"#longer","contains":"begin"}}`, `{"value":{"selector":"#longer","matches":"begin a+"}}`,
	)
	expectVerdict(c, "fail", nil, `{"value":{"selector":"#long","equals":"begin"}}`, `{"element":{"selector":"li","state":"absent"}}`)
	expectVerdict(c, "inconclusive", nil,
		`{"element":{"selector":"li","state":"hidden"}}`, `{"element":{"selector":"li","state":"visible"}}`,
		`{"dom_text":{"selector":"h1","matches":"^[^Z]*$"}}`, `{"dom_text":{"selector":"h1","contains":"Z"}}`,
		`{"value":{"selector":"#longer","contains":" end"}}`, `{"not":{"value":{"selector":"#longer","matches":"end$"}}}`, `{"value":{"selector":"#longer","equals":"begin"}}`,
	)
}

// TestContractBehindADialog: while a page is stopped nothing of it can be looked at, except that it
// is.
func TestAssertBehindADialog(t *testing.T) {
	t.Parallel()
	c, _ := openContractPage(t)
	c.Call(toolset.ToolJavascriptTool, tooltest.Args{"code": "setTimeout(() => confirm('Really?'), 0), 1"})
	expectVerdict(c, "pass", tooltest.Args{"timeout_ms": 15000}, `{"not":{"no_dialog":true}}`)
	expectVerdict(c, "fail", nil, `{"no_dialog":true}`, `{"no_dialog":true,"dom_text":"Order"}`)
	expectVerdict(c, "inconclusive", nil, `{"dom_text":"Order"}`, `{"not":{"dom_text":"Order"}}`, `{"dom_count":{"selector":"li","eq":3}}`, `{"element":"h1"}`,
		`{"value":{"selector":"#name","equals":"Ann Lee"}}`, `{"performance":{"metric":"nodes","min":1}}`, `{"screenshot":{"like":"0000000000000000"}}`)
	c.Call(toolset.ToolDialog, tooltest.Args{"accept": true})
	expectVerdict(c, "pass", nil, `{"no_dialog":true,"dom_text":"Order"}`)
}

// TestAssertActivity judges requests, messages, downloads and measures.
func TestAssertActivity(t *testing.T) {
	t.Parallel()
	c, _ := openContractPage(t)
	wait := tooltest.Args{"timeout_ms": 15000}
	expectVerdict(c, "pass", wait,
		`{"network":{"contains":"/missing","status":404}}`, `{"network":{"matches":"/slow\\?ms=\\d","method":"post","status":"2xx"}}`,
		`{"network":{"contains":"/nowhere","max":0}}`, `{"network":{"contains":"contract.html","since":"call","eq":1}}`,
		`{"console":{"contains":"ready"}}`, `{"console":{"contains":"ready","level":"error","max":0}}`, `{"not":{"console":{}}}`,
		`{"performance":{"metric":"load","max":60000}}`, `{"performance":{"metric":"nodes","min":10}}`,
	)
	expectVerdict(c, "fail", nil,
		`{"network":"/nowhere"}`, `{"network":{"contains":"/missing","status":"2xx"}}`, `{"network":{"contains":"/slow","method":"GET"}}`,
		`{"network":{"contains":"/missing","since":"start"}}`, `{"console":{}}`, `{"console":{"contains":"nobody says this"}}`,
		`{"performance":{"metric":"nodes","max":1}}`, `{"download":"report"}`,
	)
	expectVerdict(c, "inconclusive", nil, `{"performance":{"metric":"inp","max":10}}`, `{"not":{"performance":{"metric":"inp","max":10}}}`)
	reading := c.Call(toolset.ToolReadPage, nil)
	c.Call(toolset.ToolComputer, tooltest.Args{"action": "left_click", "ref": tooltest.Ref(t, reading, "Report")})
	expectVerdict(c, "pass", wait, `{"download":{"contains":"report","eq":10}}`, `{"download":{"equals":"report.txt","since":"call"}}`)
	expectVerdict(c, "fail", nil, `{"download":{"contains":"report","max":9}}`, `{"download":"other"}`, `{"download":{"since":"start"}}`)
}

// TestContractWithoutRecords: what was not heard is unknown, not absent.
func TestAssertWithoutRecords(t *testing.T) {
	t.Parallel()
	base := tooltest.ServeSite(t)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": base + "/contract.html"})
	expectVerdict(c, "inconclusive", nil, `{"screenshot":"never-kept"}`, `{"not":{"screenshot":"never-kept"}}`)
	c.Call(toolset.ToolJavascriptTool, tooltest.Args{"code": "open('about:blank'), 1"})
	popup := regexp.MustCompile(`t\d+`).FindAllString(c.Call(toolset.ToolTabsContext, nil), -1)
	expectVerdict(c, "inconclusive", tooltest.Args{"tabId": popup[len(popup)-1]}, `{"network":{"contains":"/x","since":"call"}}`, `{"download":{"since":"call"}}`)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>elsewhere")
	}))
	t.Cleanup(other.Close)
	foreign := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	c.Call(toolset.ToolJavascriptTool, tooltest.Args{"code": "const f = document.createElement('iframe'); f.src = '" + foreign + "/'; document.body.append(f); await new Promise(d => f.onload = d); 1"})
	expectVerdict(c, "inconclusive", tooltest.Args{"timeout_ms": 300}, `{"network":"/nowhere"}`, `{"not":{"network":"/nowhere"}}`)
	expectVerdict(c, "pass", nil, `{"network":"contract.html"}`, `{"dom_text":"elsewhere"}`)
	c.Call(toolset.ToolNetworkCaptureLite, tooltest.Args{"action": "start"})
	expectVerdict(c, "fail", nil, `{"network":{"contains":"/nowhere","since":"start"}}`)
}

// TestContractOfAPageThatIsGone: a page that has crashed, or whose tab is closed while somebody
// waits for it, has no address and no dialogs.
func TestAssertOnALostPage(t *testing.T) {
	t.Parallel()
	base := tooltest.ServeSite(t)
	told := make(chan struct{}, 1)
	c := tooltest.ConnectAs(t, toolkit.Options{AllTools: true}, tooltest.SessionRevision, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			select {
			case told <- struct{}{}:
			default:
			}
		},
	})
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": base + "/contract.html"})
	_, tab, err := tooltest.Shared.Connections.Set(t.Name()).Tab(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	protocol, err := tab.Protocol(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = protocol.Call(context.Background(), "Page.crash", nil, nil) }() // a crashed page sends no response
	tooltest.Eventually(t, "the tab is known to have crashed", func() bool { return tab.CrashError() != nil })
	expectVerdict(c, "inconclusive", tooltest.Args{"tabId": tab.ID()}, `{"url":"/contract.html"}`, `{"not":{"url":"/elsewhere"}}`)
	for _, text := range []string{`{"url":"/elsewhere"}`, `{"not":{"no_dialog":true}}`} {
		id := strings.Fields(c.Call(toolset.ToolTabsCreate, tooltest.Args{"url": base + "/contract.html"}))[0]
		for len(told) > 0 {
			<-told
		}
		p := tooltest.Params(toolset.ToolOcAssert, tooltest.Args{"contract": text, "timeout_ms": 8000, "tabId": id})
		p.SetProgressToken(text)
		closed := make(chan error, 1)
		go func() {
			<-told // it has looked, and the tab was there
			_, err := c.CallTool(context.Background(), tooltest.Params(toolset.ToolTabsClose, tooltest.Args{"tabId": id}))
			closed <- err
		}()
		res, err := c.CallTool(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		if res.IsError || !strings.Contains(tooltest.Text(res), `"verdict":"inconclusive"`) || !strings.Contains(tooltest.Text(res), "the tab is closed") {
			t.Errorf("%s: %s", text, tooltest.Text(res))
		}
	}
}

// TestContractOfATalkativePage: what is no longer kept may have been said.
func TestAssertAfterRecordsOverflow(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": "data:text/html,<title>Talk</title>"}) // no icon is asked for, which would be missing
	c.Call(toolset.ToolJavascriptTool, tooltest.Args{"code": "for (let i = 0; i < 1500; i++) console.log('word ' + i.toString(36) + ' of many'); console.warn('the last word'), 1"})
	expectVerdict(c, "pass", tooltest.Args{"timeout_ms": 15000}, `{"console":"the last word"}`, `{"not":{"console":{"contains":"the last word","max":0}}}`)
	expectVerdict(c, "inconclusive", nil, `{"console":{"contains":"nobody says this","max":0}}`, `{"console":"nobody says this"}`, `{"console":{}}`,
		`{"not":{"console":"nobody says this"}}`, `{"console":{"contains":"the last word","eq":1}}`)
}

// TestContractIsWaitedFor: the page changes some time after the call began.
func TestAssertWaits(t *testing.T) {
	t.Parallel()
	c, _ := openContractPage(t)
	expectAttempts(t, "pass", 700, func(ms int) assertion {
		c.Call(toolset.ToolJavascriptTool, tooltest.Args{"code": fmt.Sprintf("setTimeout(() => { document.querySelector('h1').textContent = 'After %[1]d' }, %[1]d), 1", ms)})
		return assert(c, fmt.Sprintf(`{"dom_text":{"selector":"h1","equals":"After %d"}}`, ms), tooltest.Args{"timeout_ms": 60000})
	})
	expectAttempts(t, "fail", 300, func(ms int) assertion {
		return assert(c, `{"dom_text":"Delivered"}`, tooltest.Args{"timeout_ms": ms})
	})
}

// expectAttempts expects that an assert which waits looks more than once. On a busy machine the first
// look may take all of the time, so the assert is repeated with more.
func expectAttempts(t *testing.T, verdict string, ms int, wait func(ms int) assertion) {
	t.Helper()
	for ; ; ms *= 3 {
		switch j := wait(ms); {
		case j.Verdict != verdict, j.Attempts < 2 && ms > 10000:
			t.Errorf("within %d ms: %+v", ms, j)
			return
		case j.Attempts > 1:
			return
		}
	}
}

// TestContractMalformed: one refusal with everything, by JSON pointer.
func TestAssertMalformedContract(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolOcAssert, tooltest.Args{"contract": `{"dom_txt":"x","and":[{"url":{"matches":"("}}],"element":{}}`},
		"/contract/dom_txt", `did you mean \"dom_text\"?`, "/contract/and/0/url/matches", "/contract/element", "selector is missing")
	c.ExpectRefusal("NO_TAB", toolset.ToolOcAssert, tooltest.Args{"contract": `{"url":"x"}`})
}

// TestContractEvidence: what was looked at can be read afterwards, a picture too.
func TestAssertEvidence(t *testing.T) {
	t.Parallel()
	c, _ := openContractPage(t)
	j := assert(c, `{"url":"/contract","value":{"selector":"#password","contains":"horse"},"dom_text":"correct"}`, tooltest.Args{"screenshot": true})
	text := c.ReadArtifact(j.Evidence)
	for _, want := range []string{`"verdict": "fail"`, `"path": "/dom_text"`, `"path": "/value"`, "Order received", `"screenshot": "callsheet://artifact/`} {
		if !strings.Contains(text, want) {
			t.Errorf("the evidence lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "correct horse") {
		t.Errorf("the evidence tells a password:\n%s", text)
	}
	var e struct{ Screenshot string }
	if err := json.Unmarshal([]byte(text), &e); err != nil || !strings.HasPrefix(c.ReadArtifact(e.Screenshot), "\x89PNG") {
		t.Errorf("no picture at %q, %v", e.Screenshot, err)
	}
}

// TestScreenshotClass: a page looks like itself after a small change, and not like another one.
func TestAssertScreenshotClass(t *testing.T) {
	t.Parallel()
	c, base := openContractPage(t)
	_, answer := c.EvidenceBundle(tooltest.Args{"class": "order"})
	if answer["class_size"] != 1.0 {
		t.Errorf("%v", answer)
	}
	mark := answer["phash"].(string)
	expectVerdict(c, "pass", nil, `{"screenshot":"order"}`, `{"screenshot":{"like":"`+mark+`","distance":4}}`)
	c.Call(toolset.ToolJavascriptTool, tooltest.Args{"code": "document.querySelector('li').textContent = 'Won'"})
	expectVerdict(c, "pass", nil, `{"screenshot":{"class":"order"}}`)
	expectVerdict(c, "inconclusive", nil, `{"screenshot":{"class":"order","selector":"#nothing"}}`)
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": base + "/colour.html"})
	expectVerdict(c, "fail", nil, `{"screenshot":"order"}`)
}

// TestAssertLooksLike: a page looks like its baseline until pixels differ, in the part that is named.
func TestAssertLooksLike(t *testing.T) {
	t.Parallel()
	c, _ := openContractPage(t)
	expectVerdict(c, "inconclusive", nil, `{"looks_like":"order-page"}`)
	c.Expect(toolset.ToolPageScreenshot, tooltest.Args{"compare": "baseline", "name": "order-page"}, "kept")
	expectVerdict(c, "pass", nil, `{"looks_like":"order-page"}`, `{"looks_like":{"baseline":"order-page","max":0.01}}`)
	c.Call(toolset.ToolJavascriptTool, tooltest.Args{"code": "document.querySelector('li').textContent = 'Won'"})
	expectVerdict(c, "fail", nil, `{"looks_like":"order-page"}`, `{"looks_like":{"baseline":"order-page","selector":"li"}}`)
	expectVerdict(c, "pass", nil, `{"looks_like":{"baseline":"order-page","max":0.01}}`, `{"not":{"looks_like":"order-page"}}`)
	expectVerdict(c, "inconclusive", nil, `{"looks_like":{"baseline":"order-page","selector":"#nothing"}}`, `{"looks_like":"a/b"}`)
}
