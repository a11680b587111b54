package performance

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// foreignAddress stands for an address that is not known to be of the tab.
const foreignAddress = "(not of this tab)"

// Clean copies a gzipped trace of one tab: without what other tabs did meanwhile, which the browser records too, and with
// clean texts. address is called for every text that has an address in it, header for headers: a trace has both, with the
// secrets that are in them.
func Clean(w io.Writer, r io.Reader, address func(string) string, header func(name, value string) string) error {
	data, err := io.ReadAll(r) // compressed; it is needed twice, for whose an event is can be told only at the end
	if err != nil {
		return fmt.Errorf("read the trace: %w", err)
	}
	own, err := findTabContent(data)
	if err != nil {
		return err
	}
	mine := func(text string) string {
		if !own.texts[text] {
			return foreignAddress
		}
		return address(text)
	}
	zip := gzip.NewWriter(w)
	if _, err := io.WriteString(zip, `{"traceEvents":[`); err != nil {
		return err
	}
	comma := ""
	err = eachEvent(bytes.NewReader(data), func(raw json.RawMessage) error {
		e, ok := own.parse(raw)
		if !ok || !own.contains(e) {
			return nil
		}
		if hasTexts(raw) {
			text, err := json.Marshal(redactValue(e.fields, mine, header))
			if err != nil {
				return fmt.Errorf("%w: %w", ErrNoTrace, err)
			}
			raw = text
		}
		_, err := fmt.Fprintf(zip, "%s%s", comma, raw)
		comma = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	if _, err := io.WriteString(zip, "]}"); err != nil {
		return err
	}
	return zip.Close()
}

// hasTexts: there is an address or a header in it.
func hasTexts(raw []byte) bool {
	return bytes.Contains(raw, []byte("://")) || bytes.Contains(raw, []byte(`"headers"`))
}

// tabContent is what in a trace is of the tab that was traced.
type tabContent struct {
	// frames, ids of navigations and requests, and the texts with an address in them that its events have.
	frames, ids, texts map[string]bool
	// processes are those of its frames; renderers all that show pages.
	processes, renderers map[int64]bool
}

// cleanEvent is an event with all that is in it, and what it names.
type cleanEvent struct {
	fields             map[string]any
	name, phase        string
	pid                int64
	frames, ids, texts []string
}

// findTabContent reads a trace for what is of the tab: the frames that the browser names at the start, and those that come into
// them.
func findTabContent(data []byte) (*tabContent, error) {
	own := &tabContent{
		frames: map[string]bool{}, ids: map[string]bool{}, texts: map[string]bool{}, processes: map[int64]bool{}, renderers: map[int64]bool{},
	}
	for _, pass := range []func(cleanEvent){own.addFrames, own.addIDsAndTexts} { // processes write at different times
		err := eachEvent(bytes.NewReader(data), func(raw json.RawMessage) error {
			if e, ok := own.parse(raw); ok {
				pass(e)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return own, nil
}

func (o *tabContent) addFrames(e cleanEvent) {
	data, _ := lookUp(e.fields, "args", "data").(map[string]any)
	switch e.name {
	case "TracingStartedInBrowser":
		list, _ := data["frames"].([]any)
		for _, f := range list {
			id, _ := lookUp(f, "frame").(string)
			o.frames[id] = true
			o.addProcess(lookUp(f, "processId"))
		}
	case "FrameCommittedInBrowser", "ProcessReadyInBrowser":
		id, _ := data["frame"].(string)
		parent, _ := data["parent"].(string)
		if o.frames[id] || parent != "" && o.frames[parent] {
			o.frames[id] = true
			o.addProcess(data["processId"])
		}
	case "process_name":
		if name, _ := lookUp(e.fields, "args", "name").(string); strings.HasPrefix(name, "Renderer") {
			o.renderers[e.pid] = true
		}
	}
}

func (o *tabContent) addProcess(id any) {
	if n, ok := id.(float64); ok {
		o.processes[int64(n)] = true
	}
}

func (o *tabContent) addIDsAndTexts(e cleanEvent) {
	if len(e.frames) == 0 || !o.hasFrameOf(e) {
		return
	}
	for _, id := range e.ids {
		o.ids[id] = true
	}
	for _, text := range e.texts {
		o.texts[text] = true
	}
}

func (o *tabContent) hasFrameOf(e cleanEvent) bool {
	for _, id := range e.frames {
		if o.frames[id] {
			return true
		}
	}
	return false
}

// contains tells whether an event is of the tab, or of nobody: the browser's own work.
func (o *tabContent) contains(e cleanEvent) bool {
	switch {
	case e.name == "process_labels": // titles of pages, and of several in one process
		return false
	case e.phase == "M":
		return true
	case len(e.frames) > 0:
		return o.hasFrameOf(e)
	case o.renderers[e.pid] && !o.processes[e.pid]:
		return false
	}
	for _, id := range e.ids {
		if !o.ids[id] {
			return false
		}
	}
	return true
}

// parse reads what an event names. One that is not an object is none.
func (o *tabContent) parse(raw json.RawMessage) (cleanEvent, bool) {
	var e cleanEvent
	if json.Unmarshal(raw, &e.fields) != nil {
		return e, false
	}
	e.name, _ = e.fields["name"].(string)
	e.phase, _ = e.fields["ph"].(string)
	pid, _ := e.fields["pid"].(float64)
	e.pid = int64(pid)
	e.collectIDs("", e.fields["args"])
	return e, true
}

func (e *cleanEvent) collectIDs(key string, v any) {
	switch v := v.(type) {
	case string:
		switch {
		case v == "":
		case key == "frame" || key == "frameId" || key == "frameID":
			if isFrameID(v) {
				e.frames = append(e.frames, v)
			}
		case key == "requestId" || key == "navigationId":
			e.ids = append(e.ids, v)
		case strings.Contains(v, "://"):
			e.texts = append(e.texts, v)
		}
	case []any:
		for _, item := range v {
			e.collectIDs(key, item)
		}
	case map[string]any:
		for k, item := range v {
			e.collectIDs(k, item)
		}
	}
}

// isFrameID: it is the identity of a frame. Some events number frames of pictures under the same name.
func isFrameID(id string) bool {
	return len(id) >= 16 && strings.Trim(id, "0123456789ABCDEFabcdef") == ""
}

// lookUp follows keys into objects; nil is what is not there.
func lookUp(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func redactValue(v any, address func(string) string, header func(name, value string) string) any {
	switch v := v.(type) {
	case string:
		if bytes.Contains([]byte(v), []byte("://")) {
			return address(v)
		}
	case []any:
		for i := range v {
			v[i] = redactValue(v[i], address, header)
		}
	case map[string]any:
		name, named := v["name"].(string)
		value, valued := v["value"].(string)
		if named && valued && len(v) == 2 {
			v["value"] = header(name, value)
			return v
		}
		for k := range v {
			v[k] = redactValue(v[k], address, header)
		}
	}
	return v
}
