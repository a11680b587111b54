// Package export writes a recording as a file: JSON, an HTTP Archive, an HTML report, a trace for
// the viewer of Playwright, or what package codegen writes.
//
// A format is a row of a table. The package must not know where recordings and screenshots are
// stored, nor tools beyond the traits of the manifest.
package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/codegen"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// Source is a recording with everything that a file can be made of.
type Source struct {
	Recording recorder.Recording `json:"metadata"`
	Steps     []recorder.Step    `json:"steps"`
	// Artifact returns the bytes of a step's artifact, a picture or a video. It returns nil for one
	// that is gone or has more than limit bytes. A nil function has no artifacts.
	Artifact func(id string, limit int) []byte `json:"-"`
}

// artifact returns the bytes of an artifact, or nil.
func (s Source) artifact(id string, limit int) []byte {
	if s.Artifact == nil {
		return nil
	}
	return s.Artifact(id, limit)
}

// Format is one way to write a recording.
type Format struct {
	Name      string // as a caller asks for it
	Extension string // of the file, with its dot
	MIME      string
	Write     func(Source) ([]byte, error)
	LeftOut   func(written []byte) []string // why steps are not in the file; nil for a format that has all
	Open      string                        // the command that opens the file, without its name; "" for none
}

// Formats lists what there is.
func Formats() []Format {
	return []Format{
		{Name: "json", Extension: ".json", MIME: "application/json", Write: writeJSON},
		{Name: "html", Extension: ".html", MIME: "text/html", Write: Report},
		{Name: "har", Extension: ".har", MIME: "application/json", Write: writeHAR},
		{Name: "go", Extension: "_test.go", MIME: "text/x-go", Write: func(s Source) ([]byte, error) { return codegen.Go(s.Recording, s.Steps) }},
		{Name: "playwright", Extension: ".spec.ts", MIME: "text/x-typescript", Write: func(s Source) ([]byte, error) { return codegen.Playwright(s.Recording, s.Steps) }},
		{Name: "workflow", Extension: ".workflow.yaml", MIME: "application/yaml", Write: func(s Source) ([]byte, error) { return codegen.Workflow(s.Recording, s.Steps) }, LeftOut: codegen.LeftOut},
		{Name: "trace", Extension: ".trace.zip", MIME: "application/zip", Write: writeTrace, Open: "npx playwright show-trace"},
	}
}

// Find returns the format of that name; false for an unknown name.
func Find(name string) (Format, bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// ForFile returns the format with the longest extension that a file's name ends in; false when there is
// none.
func ForFile(name string) (found Format, ok bool) {
	for _, f := range Formats() {
		if strings.HasSuffix(name, f.Extension) && len(f.Extension) > len(found.Extension) {
			found, ok = f, true
		}
	}
	return found, ok
}

// writeJSON writes {metadata, steps}, which Read reads.
func writeJSON(s Source) ([]byte, error) {
	if s.Steps == nil {
		s.Steps = []recorder.Step{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("encode recording %s: %w", s.Recording.ID, err)
	}
	return b.Bytes(), nil
}

// errNotExport is the error of a file that Read cannot read.
var errNotExport = fault.New(codes.Failed, "this is no exported recording; format json of an export is one")

// Read reads what format json has written.
func Read(file []byte) (Source, error) {
	var s Source
	if err := json.Unmarshal(file, &s); err != nil {
		return s, fmt.Errorf("%w (%w)", errNotExport, err)
	}
	if s.Recording.ID == "" {
		return s, errNotExport
	}
	return s, nil
}

// writeHAR writes the requests as an HTTP Archive 1.2. They were redacted when they were recorded,
// and have no heads and bodies.
func writeHAR(s Source) ([]byte, error) {
	var entries []network.Entry
	for _, step := range s.Steps {
		for _, q := range step.Requests {
			entries = append(entries, network.Entry{
				Number: len(entries) + 1, Method: q.Method, URL: q.URL, Type: q.Kind, Started: q.StartedAt, Status: q.Status, Failure: q.Error,
				Duration: time.Duration(q.Milliseconds * float64(time.Millisecond)), Done: true,
				BodyOmitted: fmt.Sprintf("step %d, %s; heads and bodies are not recorded", step.Seq, step.Tool),
			})
		}
	}
	return network.HAR(entries, "Chromium/")
}
