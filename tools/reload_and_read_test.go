package tools_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// How many reloads TestReadAfterReload makes, with how many clients, and on one page in a row.
// reloadsVariable overrides the number.
const (
	reloadsVariable           = "CALLSHEET_RELOADS"
	shortReloads, soakReloads = 60, 20_000
	reloadClients             = 4
	reloadsOfAPage            = 5
)

// document is a response that a browser shows in a way of its own.
type document struct{ contentType, text string }

// reloadedDocuments are of the kinds that differ in when, and whether, they have a root element and
// a body.
var reloadedDocuments = map[string]document{
	"html":      {"text/html", `<!doctype html><title>HTML</title><p>text</p><button>Go</button>`},
	"empty":     {"text/html", ``},
	"rootless":  {"text/html", `<p>text</p><script>document.documentElement.remove()</script>`},
	"late-root": {"text/html", `<button>Go</button><script>const d=document.documentElement;d.remove();setTimeout(()=>document.append(d),5)</script>`},
	"written":   {"text/html", `<script>setTimeout(()=>{document.open();document.write('<button>Go</button>');document.close()},3)</script>`},
	"replaced":  {"text/html", `<p>first</p><script>if(!location.hash)location.replace('#x');setTimeout(()=>{if(!sessionStorage.n){sessionStorage.n=1;location.reload()}else{delete sessionStorage.n}},4)</script>`},
	"framed":    {"text/html", `<p>outer</p><iframe src=/slow></iframe><iframe src=/svg></iframe><button>Go</button>`},
	"frameset":  {"text/html", `<frameset cols="50%,50%"><frame src=/html><frame src=/xml></frameset>`},
	"xml":       {"application/xml", `<?xml version="1.0"?><list><item>text</item></list>`},
	"broken":    {"application/xml", `<?xml version="1.0"?><list><item>text</list>`},
	"xhtml":     {"application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><body><button>Go</button></body></html>`},
	"svg":       {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">text</text><a href="/html"><text y="50">Go</text></a></svg>`},
	"text":      {"text/plain", "plain text\nof two lines"},
	"json":      {"application/json", `{"text":[1,2,3]}`},
	"slow":      {"text/html", `<p>text</p><button>Go</button>`}, // serveDocuments sends it in two parts
}

func serveDocuments(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.Trim(r.URL.Path, "/")
		d := reloadedDocuments[name]
		w.Header().Set("Content-Type", d.contentType)
		if name == "slow" {
			_, _ = fmt.Fprint(w, "<!doctype html><p>first</p>") // the client may have left
			w.(http.Flusher).Flush()
			select {
			case <-time.After(30 * time.Millisecond):
			case <-r.Context().Done():
			}
		}
		_, _ = fmt.Fprint(w, d.text)
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// TestReadAfterReload reloads documents of many kinds and reads them at once. Readings and reloads
// succeed, and what else is refused has a reason in the page.
func TestReadAfterReload(t *testing.T) {
	t.Parallel()
	proctest.Nightly(t)
	reloads := times(t, reloadsVariable, shortReloads, soakReloads)
	base := serveDocuments(t)
	server := tooltest.NewOwnServer(t, app.Config{})
	var wg sync.WaitGroup
	begun := time.Now()
	readers := make([]*reloader, reloadClients)
	for i := range readers {
		readers[i] = &reloader{client: server.Connect(fmt.Sprintf("reload-%d", i), "", nil), codes: map[string]int{}}
		wg.Go(func() { readers[i].run(base, i, reloads/reloadClients) })
	}
	wg.Wait()
	calls, codes := 0, map[string]int{}
	for _, r := range readers {
		calls += r.calls
		for code, n := range r.codes {
			codes[code] += n
		}
		for _, failure := range r.failures {
			t.Error(failure)
		}
	}
	t.Logf("%d reloads, %d calls in %v; refusals by code: %s", reloads, calls, time.Since(begun).Round(time.Second), counts(codes))
}

// reloader is a client that reloads and reads.
type reloader struct {
	client   tooltest.Client
	calls    int
	codes    map[string]int
	failures []string
}

func (r *reloader) run(base string, first, reloads int) {
	names := slices.Sorted(maps.Keys(reloadedDocuments))
	for n := 0; n < reloads && len(r.failures) < 5; n++ {
		page := names[(first+n/reloadsOfAPage)%len(names)]
		if n%reloadsOfAPage == 0 {
			r.call(page, "navigate", tooltest.Args{"url": base + "/" + page})
		}
		r.call(page, "page_reload", tooltest.Args{})
		switch n % 20 {
		case 0:
			r.call(page, "find", tooltest.Args{"query": "Go"}, codes.NotFound, codes.Ambiguous)
		case 1, 9:
			r.call(page, "interact", tooltest.Args{"query": "Go", "waitForMs": 0}, codes.NotFound, codes.Ambiguous, codes.StaleRef, codes.NotActionable)
		case 2, 7, 16:
			r.call(page, "read_page", tooltest.Args{"mode": "full"})
		}
		r.call(page, "read_page", tooltest.Args{})
	}
}

// call calls a tool, which may be refused with the codes only.
func (r *reloader) call(page, tool string, a tooltest.Args, codes ...toolkit.Code) {
	r.calls++
	res, err := r.client.CallTool(r.client.T.Context(), tooltest.Params(tool, a))
	if err != nil {
		r.failures = append(r.failures, fmt.Sprintf("%s %v on %s: %v", tool, a, page, err))
		return
	}
	if !res.IsError {
		return
	}
	code := refusalCode(res)
	r.codes[code]++
	if !slices.Contains(codes, toolkit.Code(code)) {
		r.failures = append(r.failures, fmt.Sprintf("%s %v on %s: %s", tool, a, page, tooltest.Text(res)))
	}
}
