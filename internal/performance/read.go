package performance

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// traceLimit is the largest trace that is read, in bytes of JSON.
const traceLimit = 512 << 20

// ErrNoTrace says that a file is not a trace that can be read.
var ErrNoTrace = errors.New("not a readable trace")

// event is one event of the Trace Event Format. Times are in microseconds.
type event struct {
	Name  string          `json:"name"`
	Phase string          `json:"ph"`
	PID   int64           `json:"pid"`
	TID   int64           `json:"tid"`
	TS    float64         `json:"ts"`
	Dur   float64         `json:"dur"`
	Args  json.RawMessage `json:"args"`
}

// each calls fn with the raw text of every event of a gzipped trace.
func each(r io.Reader, fn func(raw json.RawMessage) error) error {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoTrace, err)
	}
	limited := &io.LimitedReader{R: unzipped, N: traceLimit}
	dec := json.NewDecoder(limited)
	fail := func(err error) error {
		if limited.N <= 0 {
			return fmt.Errorf("%w: larger than %d MB", ErrNoTrace, traceLimit>>20)
		}
		return fmt.Errorf("%w: %w", ErrNoTrace, err)
	}
	if err := open(dec); err != nil {
		return fail(err)
	}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return fail(err)
		}
		if err := fn(raw); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil { // the end of the list: a file that breaks off is no trace
		return fail(err)
	}
	return nil
}

// open brings the decoder to the first event.
func open(dec *json.Decoder) error {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, errors.New("no object"))
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		if key == "traceEvents" {
			if t, err := dec.Token(); err != nil || t != json.Delim('[') {
				return errors.Join(err, errors.New("traceEvents is no list"))
			}
			return nil
		}
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return err
		}
	}
	return errors.New("no traceEvents")
}

// Clean copies a gzipped trace, with clean applied to every text in it that has an address or a header: a trace has both, with
// the secrets that are in them. header is called for headers, address for addresses.
func Clean(w io.Writer, r io.Reader, address func(string) string, header func(name, value string) string) error {
	zip := gzip.NewWriter(w)
	if _, err := io.WriteString(zip, `{"traceEvents":[`); err != nil {
		return err
	}
	comma := ""
	err := each(r, func(raw json.RawMessage) error {
		if bytes.Contains(raw, []byte("://")) || bytes.Contains(raw, []byte(`"headers"`)) {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				return fmt.Errorf("%w: %w", ErrNoTrace, err)
			}
			text, err := json.Marshal(cleaned(v, address, header))
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

func cleaned(v any, address func(string) string, header func(name, value string) string) any {
	switch v := v.(type) {
	case string:
		if bytes.Contains([]byte(v), []byte("://")) {
			return address(v)
		}
	case []any:
		for i := range v {
			v[i] = cleaned(v[i], address, header)
		}
	case map[string]any:
		name, named := v["name"].(string)
		value, valued := v["value"].(string)
		if named && valued && len(v) == 2 {
			v["value"] = header(name, value)
			return v
		}
		for k := range v {
			v[k] = cleaned(v[k], address, header)
		}
	}
	return v
}
