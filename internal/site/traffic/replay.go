package traffic

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/engine/browser/intercept"

	"github.com/callsheet/callsheet/internal/text"
)

// bodyShown is how much of a body a report shows, in runes.
const bodyShown = 200

// Replay answers a browser from a recording. It is a intercept.Traffic.
type Replay struct {
	redact func(string) string

	mu      sync.Mutex
	answers map[string]*answers // by key
	changed int                 // place of the last answer to a request that may change the site
	missing []Request           // each once
}

var _ intercept.Traffic = (*Replay)(nil)

// answers are the responses of one request in the order of the recording.
type answers struct {
	all  []recorded
	next int // the last one repeats
}

type recorded struct {
	at       int // place in the recording
	response intercept.Response
}

// Request is a request that a recording lacks.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Type   string `json:"type"`           // CDP's resource type in lower case
	Body   string `json:"body,omitempty"` // clipped
}

// Essential reports whether a page can depend on the request: pictures, fonts and notices of visits are left out.
func (r Request) Essential() bool {
	return slices.Contains([]string{"document", "script", "stylesheet", "xhr", "fetch", "eventsource"}, r.Type)
}

// String returns the request in one line.
func (r Request) String() string {
	out := r.Method + " " + r.URL
	if r.Body != "" {
		out += " " + r.Body
	}
	return out + " (" + r.Type + ")"
}

func (r *Replay) add(key string, a recorded) {
	if r.answers[key] == nil {
		r.answers[key] = &answers{}
	}
	r.answers[key].all = append(r.answers[key].all, a)
}

// Replays reports that no page uses the network.
func (*Replay) Replays() bool { return true }

// Record is not called.
func (*Replay) Record(intercept.Request, intercept.Response) {}

// Answer returns the next response of a request. A request that the recording lacks fails. An answer from
// before the last change of the site, as by a form that was sent, is passed over for a later one.
func (r *Replay) Answer(q intercept.Request) intercept.Response {
	body := bodyText(q)
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.answers[r.key(q.Method, q.URL, body)]
	if found == nil {
		if preflight, ok := answerPreflight(q); ok {
			return preflight
		}
		missing := Request{Method: q.Method, URL: r.redact(q.URL), Type: q.Type, Body: text.ClipRunes(r.redact(body), bodyShown)}
		if !slices.Contains(r.missing, missing) { // a page can ask for ever
			r.missing = append(r.missing, missing)
		}
		return intercept.Response{Failure: "InternetDisconnected"}
	}
	for found.next+1 < len(found.all) && found.all[found.next].at < r.changed {
		found.next++
	}
	out := found.all[found.next]
	found.next = min(found.next+1, len(found.all)-1)
	if !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, q.Method) {
		r.changed = max(r.changed, out.at)
	}
	return out.response
}

// TakeMissing returns the requests that the recording lacked since the last call, each once.
func (r *Replay) TakeMissing() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.missing
	r.missing = nil
	return out
}

// answerPreflight allows what a page asks for before a request to another origin: a browser that is answered by
// DevTools may ask where it has not asked the network.
func answerPreflight(q intercept.Request) (intercept.Response, bool) {
	asked := map[string]string{}
	for _, h := range q.Headers {
		asked[strings.ToLower(h.Name)] = h.Value
	}
	if q.Method != "OPTIONS" || asked["access-control-request-method"] == "" {
		return intercept.Response{}, false
	}
	return intercept.Response{Status: 204, Headers: []intercept.Header{
		{Name: "Access-Control-Allow-Origin", Value: asked["origin"]}, {Name: "Access-Control-Allow-Credentials", Value: "true"},
		{Name: "Access-Control-Allow-Methods", Value: asked["access-control-request-method"]},
		{Name: "Access-Control-Allow-Headers", Value: asked["access-control-request-headers"]},
	}}, true
}

// boundary matches the text by which Chromium separates the parts of a form; it differs each time.
var boundary = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`----WebKitFormBoundary[0-9A-Za-z]{16}`) })

// key returns the text by which requests are matched: those with one key have the same response.
func (r *Replay) key(method, address, body string) string {
	address, _, _ = strings.Cut(address, "#")
	key := method + " " + r.redact(address)
	if body == "" {
		return key
	}
	return key + "\n" + boundary().ReplaceAllString(r.redact(body), "----")
}

// bodyText returns the body of a request as an archive can hold it.
func bodyText(q intercept.Request) string { return strings.ToValidUTF8(string(q.Body), "\uFFFD") }
