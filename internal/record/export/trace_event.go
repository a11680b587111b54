package export

// The events of a trace, version 8, each a line of JSON. Times are milliseconds of the trace's
// clock, wall times milliseconds since 1970. The format has no document; Playwright writes and its
// viewer reads it.
type (
	traceContext struct {
		Type          string       `json:"type"` // context-options
		Version       int          `json:"version"`
		Origin        string       `json:"origin"` // library: no test runner wrote the trace
		BrowserName   string       `json:"browserName"`
		Title         string       `json:"title"`
		Options       traceOptions `json:"options"`
		WallTime      int64        `json:"wallTime"`
		MonotonicTime float64      `json:"monotonicTime"`
		SDKLanguage   string       `json:"sdkLanguage"`
		ContextID     string       `json:"contextId"`
	}
	traceOptions struct{}

	traceBefore struct {
		Type      string         `json:"type"` // before
		CallID    string         `json:"callId"`
		StartTime float64        `json:"startTime"`
		Class     string         `json:"class"`
		Method    string         `json:"method"`
		Title     string         `json:"title"`
		Params    map[string]any `json:"params"`
		PageID    string         `json:"pageId,omitempty"`
	}
	traceAfter struct {
		Type          string         `json:"type"` // after
		CallID        string         `json:"callId"`
		EndTime       float64        `json:"endTime"`
		Error         *traceError    `json:"error,omitempty"`
		Result        map[string]any `json:"result,omitempty"`
		AfterSnapshot string         `json:"afterSnapshot,omitempty"`
	}
	traceError struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	}
	traceLog struct {
		Type    string  `json:"type"` // log
		CallID  string  `json:"callId"`
		Time    float64 `json:"time"`
		Message string  `json:"message"`
	}
	traceConsole struct {
		Type        string        `json:"type"` // console
		MessageType string        `json:"messageType"`
		Text        string        `json:"text"`
		Args        []any         `json:"args"`
		Location    traceLocation `json:"location"`
		Time        float64       `json:"time"`
		PageID      string        `json:"pageId,omitempty"`
	}
	traceLocation struct {
		URL    string `json:"url"`
		Line   int    `json:"lineNumber"`
		Column int    `json:"columnNumber"`
	}
	traceOutput struct {
		Type string  `json:"type"` // stderr
		Time float64 `json:"timestamp"`
		Text string  `json:"text"`
	}

	traceFrame struct {
		Type     string  `json:"type"` // screencast-frame
		PageID   string  `json:"pageId"`
		File     string  `json:"sha1"` // below resources/
		Width    int     `json:"width"`
		Height   int     `json:"height"`
		Time     float64 `json:"timestamp"`
		WallTime int64   `json:"frameSwapWallTime"`
	}
	traceSnapshotEvent struct {
		Type     string        `json:"type"` // frame-snapshot
		Snapshot traceSnapshot `json:"snapshot"`
	}
	traceSnapshot struct {
		CallID      string    `json:"callId"`
		Name        string    `json:"snapshotName"`
		PageID      string    `json:"pageId"`
		FrameID     string    `json:"frameId"`
		URL         string    `json:"frameUrl"`
		Doctype     string    `json:"doctype"`
		HTML        []any     `json:"html"` // [tag, attributes, children…]
		Viewport    traceSize `json:"viewport"`
		Time        float64   `json:"timestamp"`
		WallTime    int64     `json:"wallTime"`
		Overrides   []any     `json:"resourceOverrides"`
		IsMainFrame bool      `json:"isMainFrame"`
	}
	traceSize struct {
		Width  int `json:"width"`
		Height int `json:"height"`
	}

	traceResourceEvent struct {
		Type     string        `json:"type"` // resource-snapshot
		Snapshot traceResource `json:"snapshot"`
	}
	// traceResource is an entry of an HTTP Archive.
	traceResource struct {
		PageRef  string             `json:"pageref,omitempty"`
		Started  string             `json:"startedDateTime"`
		Time     float64            `json:"time"` // ms
		Request  traceRequest       `json:"request"`
		Response traceResponse      `json:"response"`
		Cache    struct{}           `json:"cache"`
		Timings  map[string]float64 `json:"timings"`
		Clock    float64            `json:"_monotonicTime"`
	}
	traceRequest struct {
		Method      string `json:"method"`
		URL         string `json:"url"`
		HTTPVersion string `json:"httpVersion"`
		Cookies     []any  `json:"cookies"`
		Headers     []any  `json:"headers"`
		Query       []any  `json:"queryString"`
		HeadersSize int    `json:"headersSize"`
		BodySize    int    `json:"bodySize"`
	}
	traceResponse struct {
		Status      int          `json:"status"` // -1: no answer
		StatusText  string       `json:"statusText"`
		HTTPVersion string       `json:"httpVersion"`
		Cookies     []any        `json:"cookies"`
		Headers     []any        `json:"headers"`
		Content     traceContent `json:"content"`
		RedirectURL string       `json:"redirectURL"`
		HeadersSize int          `json:"headersSize"`
		BodySize    int          `json:"bodySize"`
		Transferred int          `json:"_transferSize"`
		Failure     string       `json:"_failureText,omitempty"`
	}
	traceContent struct {
		Size int    `json:"size"`
		MIME string `json:"mimeType"`
	}
)
