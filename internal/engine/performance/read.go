package performance

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// traceLimit is the largest trace that Read accepts, in bytes of uncompressed JSON.
const traceLimit = 512 << 20

// ErrNoTrace is wrapped by the error for a file that is not a complete trace.
var ErrNoTrace = fault.New(codes.Failed, "not a readable trace")

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

// eachEvent calls fn with the raw text of every event of a gzipped trace.
func eachEvent(r io.Reader, fn func(raw json.RawMessage) error) error {
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
	if err := skipToEvents(dec); err != nil {
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
	if _, err := dec.Token(); err != nil { // the end of the list: a truncated file is not a trace
		return fail(err)
	}
	return nil
}

// skipToEvents advances the decoder to the first event.
func skipToEvents(dec *json.Decoder) error {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, fault.New(codes.Failed, "no object"))
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		if key == "traceEvents" {
			if t, err := dec.Token(); err != nil || t != json.Delim('[') {
				return errors.Join(err, fault.New(codes.Failed, "traceEvents is no list"))
			}
			return nil
		}
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return err
		}
	}
	return fault.New(codes.Failed, "no traceEvents")
}
