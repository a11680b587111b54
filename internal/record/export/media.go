package export

import (
	"bytes"
	"encoding/base64"
	"html/template"
)

// Bounds of what one report embeds, in bytes.
const (
	maxVideoBytes    = 16 << 20
	maxReportTrace   = 10 << 20
	maxTraceInReport = 4 << 20 // of pictures in its trace
)

// webmMagic begins every WebM file: the id of the EBML header.
const webmMagic = "\x1a\x45\xdf\xa3"

// addVideos inlines the videos of a step. It counts those that are gone, are no WebM or find no
// room.
func (v *stepView) addVideos(s Source, ids []string, room *int) {
	for _, id := range ids {
		data := s.artifact(id, *room)
		if !bytes.HasPrefix(data, []byte(webmMagic)) || len(data) > *room {
			v.VideosLeft++
			continue
		}
		*room -= len(data)
		v.Videos = append(v.Videos, dataURL("video/webm", data))
	}
}

// dataURL returns the address of inlined bytes.
func dataURL(mime string, data []byte) template.URL {
	return template.URL("data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data)) //nolint:gosec // base64 of what has that type
}

// traceView is the trace that a report embeds.
type traceView struct {
	Source template.URL // "" when it is too large, or there are no steps
	Size   int          // bytes
}

// newTraceView embeds the trace of a recording, with fewer pictures than an exported one may have.
// A recording without steps has none.
func newTraceView(s Source) traceView {
	if len(s.Steps) == 0 {
		return traceView{}
	}
	data, err := boundedTrace(s, maxTraceInReport)
	if err != nil || len(data) > maxReportTrace {
		return traceView{}
	}
	return traceView{Source: dataURL("application/zip", data), Size: len(data)}
}
