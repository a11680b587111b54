// Package archive writes archives whose bytes depend on nothing but their entries and one time:
// no owner, no permissions beyond those named, no clock. It must not know what is packed.
package archive

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"time"
)

// Entry is one file of an archive. Its bytes are Data, or those of the file at Source.
type Entry struct {
	Name       string // with slashes
	Data       []byte
	Source     string
	Executable bool
}

func (e Entry) mode() int64 {
	if e.Executable {
		return 0o755
	}
	return 0o644
}

// Bytes returns the content of an entry.
func (e Entry) Bytes() ([]byte, error) {
	if e.Source == "" {
		return e.Data, nil
	}
	return os.ReadFile(e.Source)
}

// Below returns the entries in a directory.
func Below(dir string, entries []Entry) []Entry {
	var out []Entry
	for _, e := range entries {
		e.Name = path.Join(dir, e.Name)
		out = append(out, e)
	}
	return out
}

// Tar writes the entries as a compressed tar file. Every file has the time modified.
func Tar(file string, entries []Entry, modified time.Time) error {
	return write(file, func(w io.Writer) error {
		gz := gzip.NewWriter(w)
		tw := tar.NewWriter(gz)
		for _, e := range entries {
			data, err := e.Bytes()
			if err != nil {
				return err
			}
			h := &tar.Header{Name: e.Name, Mode: e.mode(), Size: int64(len(data)), ModTime: modified, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
			if err := tw.WriteHeader(h); err != nil {
				return err
			}
			if _, err := tw.Write(data); err != nil {
				return err
			}
		}
		if err := tw.Close(); err != nil {
			return err
		}
		return gz.Close()
	})
}

// Zip writes the entries as a zip file. Every file has the time modified, in UTC.
func Zip(file string, entries []Entry, modified time.Time) error {
	return write(file, func(w io.Writer) error {
		zw := zip.NewWriter(w)
		for _, e := range entries {
			data, err := e.Bytes()
			if err != nil {
				return err
			}
			h := &zip.FileHeader{Name: e.Name, Method: zip.Deflate, Modified: modified.UTC()}
			h.SetMode(os.FileMode(e.mode()))
			part, err := zw.CreateHeader(h)
			if err != nil {
				return err
			}
			if _, err := part.Write(data); err != nil {
				return err
			}
		}
		return zw.Close()
	})
}

// Gzip compresses text without a name and a time in the header, as Debian's policy asks.
func Gzip(w io.Writer, data []byte) error {
	gz, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := gz.Write(data); err != nil {
		return err
	}
	return gz.Close()
}

func write(file string, fill func(io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := fill(f); err != nil {
		_ = f.Close()
		return fmt.Errorf("write %s: %w", file, err)
	}
	return f.Close()
}
