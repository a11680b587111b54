package performance

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// foreignAddress replaces every address that is not known to belong to the tab.
const foreignAddress = "(not of this tab)"

// Clean copies a gzipped trace of one tab. It removes events of other tabs, which the browser
// records as well. address redacts every text that contains a URL, and header redacts the value of
// every header, and whole the JSON of each event. The error wraps ErrNoTrace if the input is not a trace.
func Clean(
	w io.Writer, r io.Reader, address func(string) string, header func(name, value string) string, whole func(event []byte) []byte,
) error {
	data, err := io.ReadAll(r) // compressed; read in several passes, because the owner of an event is known only at the end
	if err != nil {
		return fmt.Errorf("read the trace: %w", err)
	}
	content, err := findTabContent(data)
	if err != nil {
		return err
	}
	redact := func(text string) string {
		if !content.texts[text] {
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
		e, ok := content.parse(raw)
		if !ok || !content.contains(e) {
			return nil
		}
		if hasTexts(raw) {
			text, err := json.Marshal(redactValue(e.fields, redact, header))
			if err != nil {
				return fmt.Errorf("%w: %w", ErrNoTrace, err)
			}
			raw = text
		}
		_, err := fmt.Fprintf(zip, "%s%s", comma, whole(raw))
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

// hasTexts reports whether an event may contain a URL or headers.
func hasTexts(raw []byte) bool {
	return bytes.Contains(raw, []byte("://")) || bytes.Contains(raw, []byte(`"headers"`))
}

// tabContent identifies the events of the traced tab.
type tabContent struct {
	// frames, ids of navigations and requests, and texts with URLs of the tab's events.
	frames, ids, texts map[string]bool
	// processes run the tab's frames; renderers are all renderer processes.
	processes, renderers map[int64]bool
}

// cleanEvent is an event with the frames, ids and texts that it mentions.
type cleanEvent struct {
	fields             map[string]any
	name, phase        string
	pid                int64
	frames, ids, texts []string
}

// findTabContent finds the content of the tab: the frames that the browser lists at the start of
// the trace, and their descendants.
func findTabContent(data []byte) (*tabContent, error) {
	content := &tabContent{
		frames: map[string]bool{}, ids: map[string]bool{}, texts: map[string]bool{},
		processes: map[int64]bool{}, renderers: map[int64]bool{},
	}
	for _, pass := range []func(cleanEvent){content.addFrames, content.addIDsAndTexts} { // events are not in order across processes
		err := eachEvent(bytes.NewReader(data), func(raw json.RawMessage) error {
			if e, ok := content.parse(raw); ok {
				pass(e)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return content, nil
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
	return slices.ContainsFunc(e.frames, func(id string) bool { return o.frames[id] })
}

// contains reports whether an event belongs to the tab, or to no tab: work of the browser process.
func (o *tabContent) contains(e cleanEvent) bool {
	switch {
	case e.name == "process_labels": // titles of pages, possibly of several tabs
		return false
	case e.phase == "M":
		return true
	case len(e.frames) > 0:
		return o.hasFrameOf(e)
	case o.renderers[e.pid] && !o.processes[e.pid]:
		return false
	}
	return !slices.ContainsFunc(e.ids, func(id string) bool { return !o.ids[id] })
}

// parse decodes an event and collects the ids in it. ok is false if it is not an object.
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

// isFrameID reports whether id is a CDP frame id. Some events use the same key for numbers of
// rendered frames.
func isFrameID(id string) bool {
	return len(id) >= 16 && strings.Trim(id, "0123456789ABCDEFabcdef") == ""
}

// lookUp follows keys into nested objects. It returns nil for an absent key.
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
