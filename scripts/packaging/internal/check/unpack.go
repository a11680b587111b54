package check

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/blakesmith/ar"
)

// unpack unpacks a file of a release below a directory. Files that are no archives are left out; ok is false then.
func unpack(file, dir string) (ok bool, err error) {
	switch {
	case strings.HasSuffix(file, ".tar.gz"), strings.HasSuffix(file, ".tgz"):
		return true, withFile(file, func(f *os.File) error { return untar(f, dir) })
	case strings.HasSuffix(file, ".zip"), strings.HasSuffix(file, ".mcpb"):
		return true, unzip(file, dir)
	case strings.HasSuffix(file, ".deb"):
		return true, withFile(file, func(f *os.File) error { return undeb(f, dir) })
	}
	return false, nil
}

func withFile(name string, use func(*os.File) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return use(f)
}

// undeb unpacks the files of a Debian package, and those about it below DEBIAN, as dpkg-deb -R does.
func undeb(r io.Reader, dir string) error {
	members := ar.NewReader(r)
	for {
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch strings.TrimSuffix(h.Name, "/") {
		case "control.tar.gz":
			err = untar(members, path.Join(dir, "DEBIAN"))
		case "data.tar.gz":
			err = untar(members, dir)
		}
		if err != nil {
			return err
		}
	}
}

func untar(r io.Reader, dir string) error {
	gz, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	files := tar.NewReader(gz)
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := place(dir, h.Name, h.FileInfo().Mode(), files); err != nil {
			return err
		}
	}
}

func unzip(file, dir string) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer func() { _ = z.Close() }()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		err = place(dir, f.Name, f.Mode(), r)
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}

// place writes one file of an archive, and refuses names that lead out of the directory.
func place(dir, name string, mode os.FileMode, r io.Reader) error {
	name = filepath.FromSlash(strings.TrimPrefix(name, "./"))
	if !filepath.IsLocal(name) {
		return fmt.Errorf("an archive has the file %q", name)
	}
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(full, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
