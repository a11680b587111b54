package network

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The objects of an HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/) that HAR
// writes.
type (
	harLog struct {
		Version string     `json:"version"`
		Creator harName    `json:"creator"`
		Browser harName    `json:"browser"`
		Pages   []harPage  `json:"pages"`
		Entries []harEntry `json:"entries"`
		Comment string     `json:"comment,omitempty"`
	}
	harName struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	harPage struct {
		Started string   `json:"startedDateTime"`
		ID      string   `json:"id"`
		Title   string   `json:"title"`
		Timings struct{} `json:"pageTimings"`
	}
	harEntry struct {
		Page     string      `json:"pageref,omitempty"`
		Started  string      `json:"startedDateTime"`
		Time     float64     `json:"time"`
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		Server   string      `json:"serverIPAddress,omitempty"`
		Number   int         `json:"_number"`
		Type     string      `json:"_resourceType"`
		Comment  string      `json:"comment,omitempty"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harRequest struct {
		Method      string       `json:"method"`
		URL         string       `json:"url"`
		HTTPVersion string       `json:"httpVersion"`
		Cookies     []harPair    `json:"cookies"`
		Headers     []harPair    `json:"headers"`
		QueryString []harPair    `json:"queryString"`
		PostData    *harPostData `json:"postData,omitempty"`
		HeadersSize int          `json:"headersSize"`
		BodySize    int          `json:"bodySize"`
	}
	harPostData struct {
		MIME   string    `json:"mimeType"`
		Params []harPair `json:"params"`
		Text   string    `json:"text"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
		Transferred int64      `json:"_transferSize"`
		Error       string     `json:"_error,omitempty"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MIME     string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
		Comment  string `json:"comment,omitempty"`
	}
	harTimings struct {
		Blocked float64 `json:"blocked"`
		DNS     float64 `json:"dns"`
		Connect float64 `json:"connect"`
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
		SSL     float64 `json:"ssl"`
	}
)

// HAR encodes entries as an HTTP Archive 1.2. The caller redacts them first. browser is product and
// version, such as "Chrome/156.0".
func HAR(entries []Entry, browser string) ([]byte, error) {
	name, version, _ := strings.Cut(browser, "/")
	log := harLog{
		Version: "1.2", Creator: harName{"Callsheet", "1"}, Browser: harName{name, version},
		Pages: []harPage{}, Entries: []harEntry{},
		Comment: "Secrets are replaced by " + Redacted + ".",
	}
	page := ""
	for _, e := range entries {
		if e.Type == "document" && (len(log.Pages) == 0 || e.RedirectURL == "") {
			page = "page_" + strconv.Itoa(len(log.Pages)+1)
			log.Pages = append(log.Pages, harPage{Started: timestamp(e.Started), ID: page, Title: e.URL})
		}
		log.Entries = append(log.Entries, newHAREntry(e, page))
	}
	return json.Marshal(map[string]harLog{"log": log})
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func newHAREntry(e Entry, page string) harEntry {
	out := harEntry{Page: page, Started: timestamp(e.Started), Number: e.Number, Type: e.Type}
	out.Timings = newHARTimings(e)
	t := out.Timings
	for _, ms := range []float64{t.Blocked, t.DNS, t.Connect, t.Send, t.Wait, t.Receive} {
		out.Time += max(0, ms)
	}
	if i := strings.LastIndexByte(e.Remote, ':'); i > 0 {
		out.Server = strings.Trim(e.Remote[:i], "[]")
	}
	protocol := e.Protocol
	switch protocol {
	case "":
		protocol = "unknown"
	case "h2":
		protocol = "HTTP/2"
	case "h3":
		protocol = "HTTP/3"
	}
	out.Request = harRequest{
		Method: e.Method, URL: e.URL, HTTPVersion: protocol,
		Cookies: cookiePairs(e.RequestHeaders, "cookie"), Headers: headerPairs(e.RequestHeaders),
		QueryString: queryPairs(e.URL), HeadersSize: -1, BodySize: len(e.PostData),
	}
	if e.PostData != "" {
		out.Request.PostData = &harPostData{
			MIME: headerValue(e.RequestHeaders, "content-type"), Params: []harPair{}, Text: e.PostData,
		}
	}
	out.Response = harResponse{
		Status: e.Status, StatusText: e.StatusText, HTTPVersion: protocol,
		Cookies: cookiePairs(e.ResponseHeader, "set-cookie"), Headers: headerPairs(e.ResponseHeader),
		RedirectURL: e.RedirectURL, HeadersSize: -1, BodySize: -1, Transferred: e.Transferred,
		Error: e.Failure, Content: newHARContent(e),
	}
	return out
}

func newHARContent(e Entry) harContent {
	c := harContent{Size: len(e.Body), MIME: e.MIME, Comment: e.BodyOmitted}
	if c.MIME == "" {
		c.MIME = "x-unknown"
	}
	switch {
	case len(e.Body) == 0:
	case utf8.Valid(e.Body):
		c.Text = string(e.Body)
	default:
		c.Text, c.Encoding = base64.StdEncoding.EncodeToString(e.Body), "base64"
	}
	return c
}

func headerPairs(headers []Header) []harPair {
	out := make([]harPair, len(headers))
	for i, h := range headers {
		out[i] = harPair{strings.ToValidUTF8(h.Name, "�"), strings.ToValidUTF8(h.Value, "�")}
	}
	return out
}

// cookiePairs returns one redacted cookie if the header exists, because redaction removed names and
// values.
func cookiePairs(headers []Header, name string) []harPair {
	if headerValue(headers, name) == "" {
		return []harPair{}
	}
	return []harPair{{Redacted, Redacted}}
}

func queryPairs(address string) []harPair {
	out := []harPair{}
	u, err := url.Parse(address)
	if err != nil || u.RawQuery == "" {
		return out
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		if n, err := url.QueryUnescape(name); err == nil {
			name = n
		}
		if v, err := url.QueryUnescape(value); err == nil {
			value = v
		}
		out = append(out, harPair{strings.ToValidUTF8(name, "�"), strings.ToValidUTF8(value, "�")})
	}
	return out
}

// newHARTimings splits the duration of a request into phases. HAR writes -1 for a phase that did
// not happen.
func newHARTimings(e Entry) harTimings {
	total := e.Duration.Seconds() * 1000
	t := harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: total}
	n := e.Timing
	if n == nil || n.SendStart < 0 || n.ReceiveHeadersEnd <= 0 {
		return t
	}
	span := func(from, to float64) float64 {
		if from < 0 || to < from {
			return -1
		}
		return to - from
	}
	t.DNS, t.Connect, t.SSL = span(n.DNSStart, n.DNSEnd), span(n.ConnectStart, n.ConnectEnd), span(n.SslStart, n.SslEnd)
	t.Send = max(0, span(n.SendStart, n.SendEnd))
	t.Wait = max(0, n.ReceiveHeadersEnd-n.SendEnd)
	// HAR counts the time before the browser's request clock as blocked.
	before := (n.RequestTime - e.sentAt) * 1000
	t.Blocked = max(0, before) + max(0, n.SendStart-max(0, t.DNS)-max(0, t.Connect))
	t.Receive = max(0, total-max(0, before)-n.ReceiveHeadersEnd)
	return t
}
