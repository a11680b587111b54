package video

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"iter"
	"os"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/screencast"
	"github.com/callsheet/callsheet/internal/fault"
)

// errFull ends a recording whose pictures fill the room that it has.
var errFull = fault.New(codes.Failed, "its pictures reached the limit of bytes")

// spool keeps the pictures of one recording in a file, and in memory only where they are in it. Its
// methods are called one at a time.
type spool struct {
	file  *os.File
	limit int64 // bytes

	entries       []spoolEntry
	bytes         int64
	width, height int           // of the largest picture
	started       time.Time     // the time of the first picture
	base          time.Time     // the time that the first picture has by its browser
	arrived       time.Time     // when the first picture came
	last          time.Duration // of the latest picture
}

type spoolEntry struct {
	at     time.Duration
	offset int64
	size   int
}

// add keeps a picture that came at a time, of a recording that was asked for at another. The clock of the
// browser may be that of another machine: it says how far two pictures are apart, and no more.
func (s *spool) add(f *screencast.Frame, came, asked time.Time) error {
	if s.bytes+int64(len(f.JPEG)) > s.limit {
		return errFull
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(f.JPEG))
	if err != nil {
		return fmt.Errorf("read a picture of the tab: %w", err)
	}
	var at time.Duration
	if len(s.entries) == 0 {
		s.base, s.arrived, s.started = f.Time, came, f.Time
		if f.Time.Before(asked) || f.Time.After(came) {
			s.started = came
		}
	} else {
		at = max(min(f.Time.Sub(s.base), came.Sub(s.arrived)), s.last+minGap)
	}
	if _, err := s.file.Write(f.JPEG); err != nil {
		return fmt.Errorf("keep a picture of the tab: %w", err)
	}
	s.entries = append(s.entries, spoolEntry{at, s.bytes, len(f.JPEG)})
	s.bytes += int64(len(f.JPEG))
	s.last = at
	s.width, s.height = max(s.width, size.Width), max(s.height, size.Height)
	return nil
}

// duration returns how long a recording is that ends at a time.
func (s *spool) duration(end time.Time) time.Duration {
	return max(end.Sub(s.arrived).Truncate(time.Millisecond), s.last+minGap)
}

// frames reads the pictures in order.
func (s *spool) frames() iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		for _, e := range s.entries {
			data := make([]byte, e.size)
			_, err := s.file.ReadAt(data, e.offset)
			if !yield(Frame{At: e.at, JPEG: data}, err) || err != nil {
				return
			}
		}
	}
}
