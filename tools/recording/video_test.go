package recording_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestReportPlaysTheVideoOfAStep records a call of page_video and opens the report: the video plays.
func TestReportPlaysTheVideoOfAStep(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	id := tooltest.RecordingID(t, c.Call("oc_recording_start", nil))
	c.Call("navigate", tooltest.Args{"url": serveShop(t)})
	c.Call("page_video", tooltest.Args{"ms": 300})
	c.Call("oc_recording_stop", nil)
	if steps := exportRecording(c, id).Steps; len(steps[1].Videos) != 1 {
		t.Fatalf("the step of the video is %+v", steps[1])
	}
	links := tooltest.Links(c.Do("oc_recording_export", tooltest.Args{"format": "html"}))
	openReport(t, c, c.ReadArtifact(links[0].URI), 2)
	c.WaitScript("document.querySelector('video').readyState >= 1 && document.querySelector('video').videoWidth > 100")
}
