package recorder

import (
	"errors"
	"fmt"
	"time"
)

// append appends a step in the background. With wait it returns when the step is on disk or was
// lost, after flushTimeout at the latest.
func (a *sessionRecording) append(s *Step, wait bool) {
	done := make(chan struct{})
	err := a.recorder.cfg.Archive.Append(a.id, a.owner, s, func(err error) {
		a.onAppended(err)
		close(done)
	})
	switch {
	case err != nil:
		a.onAppended(err)
	case wait:
		timer := time.NewTimer(flushTimeout)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
			a.mu.Lock()
			a.notice = errNotFlushed.Error()
			a.mu.Unlock()
		}
	}
}

// onAppended notes the outcome of a step for takeNotice.
func (a *sessionRecording) onAppended(err error) {
	if err == nil || a.isClosed.Load() && errors.Is(err, ErrNotOwner) { // stopped while the call ran
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.missed++
	if errors.Is(err, ErrNotOwner) {
		a.lostOwnership = true
		a.notice = "recording " + a.id + " was resumed elsewhere, and goes on there"
		return
	}
	if a.notice == "" {
		a.recorder.cfg.Logger.Warn("write a recording", "error", err)
	}
	a.notice = fmt.Sprintf("%d steps of recording %s, the last because: %v", a.missed, a.id, err)
}

// takeNotice returns why steps were lost since it was last called; "" when none was. It ends a
// recording that another owner has taken.
func (a *sessionRecording) takeNotice() string {
	a.mu.Lock()
	notice, lost := a.notice, a.lostOwnership
	a.notice = ""
	a.mu.Unlock()
	if lost && a.recorder.remove(a.session, a) != nil {
		a.close()
	}
	return notice
}

func (a *sessionRecording) missedSteps() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.missed
}
