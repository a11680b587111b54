package video

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/at-wat/ebml-go/mkvcore"
	"github.com/at-wat/ebml-go/webm"
)

// Sizes of the index of a file, in bytes.
const (
	cueBytes = 32  // of one entry, at most
	cueRoom  = 128 // of the index without entries, at most
)

// longestCluster is the longest time in ms that one cluster can have: times in it have 16 bits.
const longestCluster = 0x7FFE

// muxer writes the chunks of a video into a WebM file.
type muxer struct {
	file  *stickyFile
	block webm.BlockWriteCloser
}

func newMuxer(out *os.File, f Format) (*muxer, error) {
	file := &stickyFile{File: out}
	cues := cueRoom + cueBytes*(2+int(f.Duration/keyInterval))
	tracks := []webm.TrackEntry{{
		Name: "page", TrackNumber: 1, TrackUID: 1, CodecID: "V_VP9", TrackType: 1, DefaultDuration: uint64(minGap),
		Video: &webm.Video{PixelWidth: uint64(f.Width), PixelHeight: uint64(f.Height)},
	}}
	blocks, err := webm.NewSimpleBlockWriter(file, tracks,
		mkvcore.WithSegmentInfo(&webm.Info{TimecodeScale: uint64(time.Millisecond), MuxingApp: "ebml-go", WritingApp: "callsheet"}),
		mkvcore.WithSeekHead(true), mkvcore.WithCues(cues),
		mkvcore.WithMinMaxClusterDuration(1, 0, longestCluster), // a cluster, and with it a cue, at each key frame
		mkvcore.WithBlockInterceptor(nil),                       // it sorts several tracks
		mkvcore.WithOnFatalHandler(file.fail),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin the video file: %w", err), file.err)
	}
	return &muxer{file, blocks[0]}, nil
}

// add writes chunks. An error of the file is that of a later call or of close.
func (m *muxer) add(chunks []chunk) error {
	for _, c := range chunks {
		if _, err := m.block.Write(c.Key, c.At/1000, c.Data); err != nil {
			return fmt.Errorf("write the video file: %w", err)
		}
	}
	return nil
}

// close writes the index and the duration, and closes the file.
func (m *muxer) close() error {
	if err := errors.Join(m.block.Close(), m.file.err); err != nil {
		return fmt.Errorf("write the video file: %w", err)
	}
	return nil
}

// stickyFile is a file that keeps its first error and takes every write: the muxer blocks for ever after
// one that fails. It is used by one goroutine at a time.
type stickyFile struct {
	*os.File

	err error
}

func (f *stickyFile) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *stickyFile) Write(p []byte) (int, error) {
	if f.err == nil {
		_, err := f.File.Write(p)
		f.fail(err)
	}
	return len(p), nil
}

func (f *stickyFile) WriteAt(p []byte, at int64) (int, error) {
	if f.err == nil {
		_, err := f.File.WriteAt(p, at)
		f.fail(err)
	}
	return len(p), nil
}

func (f *stickyFile) Close() error {
	f.fail(f.File.Close())
	return nil
}
