package recorder

import (
	"errors"
	"fmt"
	"time"
)

// append appends a step in the background. With wait it returns when the step is on disk or was
// lost, after flushTimeout at the latest.
func (sr *sessionRecording) append(s *Step, wait bool) {
	done := make(chan struct{})
	err := sr.recorder.cfg.Archive.Append(sr.id, sr.owner, s, func(err error) {
		sr.onAppended(err)
		close(done)
	})
	switch {
	case err != nil:
		sr.onAppended(err)
	case wait:
		timer := time.NewTimer(flushTimeout)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
			sr.mu.Lock()
			sr.notice = errNotFlushed.Error()
			sr.mu.Unlock()
		}
	}
}

// onAppended notes the outcome of a step for takeNotice.
func (sr *sessionRecording) onAppended(err error) {
	if err == nil || sr.isClosed.Load() && errors.Is(err, ErrNotOwner) { // stopped while the call ran
		return
	}
	sr.mu.Lock()
	defer sr.mu.Unlock()
	sr.missed++
	if errors.Is(err, ErrNotOwner) {
		sr.lostOwnership = true
		sr.notice = "recording " + sr.id + " was resumed elsewhere, and goes on there"
		return
	}
	if sr.notice == "" {
		sr.recorder.cfg.Logger.Warn("write a recording", "error", err)
	}
	sr.notice = fmt.Sprintf("%d steps of recording %s, the last because: %v", sr.missed, sr.id, err)
}

// takeNotice returns why steps were lost since it was last called; "" when none was. It ends a
// recording that another owner has taken.
func (sr *sessionRecording) takeNotice() string {
	sr.mu.Lock()
	notice, lost := sr.notice, sr.lostOwnership
	sr.notice = ""
	sr.mu.Unlock()
	if lost && sr.recorder.remove(sr.session, sr) != nil {
		sr.close()
	}
	return notice
}

func (sr *sessionRecording) missedSteps() int {
	sr.mu.Lock()
	defer sr.mu.Unlock()
	return sr.missed
}
