// Package chrome installs a browser: Chrome for Testing in the cache of Puppeteer, where browsers are looked for, or
// Debian's packages, in the system or in that cache.
//
// It must not know when a browser is missing, nor how its progress is shown.
package chrome

import (
	"archive/zip"
	"context"
	"crypto/md5" //nolint:gosec // the digest that the storage states; the connection is authenticated
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/text"
)

// Index is the address of the newest versions.
const Index = "https://googlechromelabs.github.io/chrome-for-testing/last-known-good-versions-with-downloads.json"

// maxIndex and maxArchive bound what is downloaded, in bytes.
const (
	maxIndex   = 1 << 20
	maxArchive = 1 << 30
)

// version is the form of a version, which becomes the name of a directory.
var version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`) })

// platforms has the names of Chrome for Testing and of Puppeteer for systems and processors.
var platforms = map[string][2]string{
	"linux/amd64": {"linux64", "linux"}, "darwin/amd64": {"mac-x64", "mac"}, "darwin/arm64": {"mac-arm64", "mac_arm"}, "windows/amd64": {"win64", "win64"},
}

// build is the newest stable version for one platform.
type build struct{ directory, url string }

// Progress is called with how much of all is done, and of what.
type Progress func(done, total float64, of string)

// Install downloads the newest stable version that an index names and returns the path of its program. A version that
// was downloaded before is taken.
func Install(ctx context.Context, index string, progress Progress) (program string, err error) {
	b, err := newest(ctx, index)
	if err != nil {
		return "", err
	}
	return incoming(func(parent, scratch string) (string, error) {
		target := filepath.Join(parent, b.directory)
		if _, err := os.Stat(target); err == nil {
			return find(target)
		}
		archive := filepath.Join(scratch, "archive.zip")
		if err := download(ctx, b.url, archive, progress); err != nil {
			return "", fmt.Errorf("download %s: %w", b.url, err)
		}
		if err := unpack(archive, filepath.Join(scratch, "files")); err != nil {
			return "", fmt.Errorf("unpack %s: %w", b.url, err)
		}
		if err := os.Rename(filepath.Join(scratch, "files"), target); err != nil {
			return "", err
		}
		return find(target)
	})
}

// abandoned is the age of a download that was not ended.
const abandoned = 24 * time.Hour

// incoming passes the cache and a directory in it, which it removes, and those of killed downloads.
func incoming(install func(parent, scratch string) (string, error)) (program string, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(home, ".cache", "puppeteer", "chrome")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	old, _ := filepath.Glob(filepath.Join(parent, ".incoming-*")) // where a name makes a bad pattern, they stay
	for _, dir := range old {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(dir) // it only takes space
		}
	}
	scratch, err := os.MkdirTemp(parent, ".incoming-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	return install(parent, scratch)
}

// newest reads which version is the newest stable one.
func newest(ctx context.Context, index string) (build, error) {
	name := runtime.GOOS + "/" + runtime.GOARCH
	platform, ok := platforms[name]
	if !ok {
		return build{}, fmt.Errorf("there is no Chrome for Testing for %s", name)
	}
	response, err := get(ctx, index)
	if err != nil {
		return build{}, err
	}
	defer func() { _ = response.Body.Close() }() // reading: nothing is lost
	var all struct {
		Channels map[string]struct {
			Version   string
			Downloads map[string][]struct{ Platform, URL string }
		}
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxIndex)).Decode(&all); err != nil {
		return build{}, fmt.Errorf("read %s: %w", index, err)
	}
	stable := all.Channels["Stable"]
	for _, d := range stable.Downloads["chrome"] {
		if d.Platform == platform[0] && version().MatchString(stable.Version) {
			return build{platform[1] + "-" + stable.Version, d.URL}, nil
		}
	}
	return build{}, fmt.Errorf("%s names no stable Chrome for %s", index, platform)
}

func get(ctx context.Context, url string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err == nil && response.StatusCode != http.StatusOK {
		_ = response.Body.Close() // it is not read
		err = fmt.Errorf("%s answers %s", url, response.Status)
	}
	return response, err
}

// download writes a file and compares its length and MD5 digest with what the response states.
func download(ctx context.Context, url, path string, progress Progress) (err error) {
	response, err := get(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // reading: nothing is lost
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	digest := md5.New() //nolint:gosec // see the import
	counter := &counter{total: response.ContentLength, progress: progress}
	n, err := io.Copy(io.MultiWriter(file, digest, counter), io.LimitReader(response.Body, maxArchive))
	if err != nil {
		return err
	}
	if n == maxArchive || response.ContentLength >= 0 && n != response.ContentLength {
		return fmt.Errorf("%d bytes came, of %d", n, response.ContentLength)
	}
	for _, stated := range response.Header.Values("X-Goog-Hash") {
		for hash := range strings.SplitSeq(stated, ",") {
			want, ok := strings.CutPrefix(strings.TrimSpace(hash), "md5=")
			if got := base64.StdEncoding.EncodeToString(digest.Sum(nil)); ok && got != want {
				return fmt.Errorf("its MD5 digest is %s, not %s", got, want)
			}
		}
	}
	return nil
}

// counter reports how many bytes were written to it.
type counter struct {
	done, total int64
	progress    Progress
}

// Write counts.
func (c *counter) Write(content []byte) (int, error) {
	c.done += int64(len(content))
	c.progress(float64(c.done), float64(c.total), "of "+text.Bytes(c.total))
	return len(content), nil
}

// unpack writes the files of an archive, whose checksums are compared, into a new directory and nowhere else.
func unpack(archive, into string) error {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }() // reading: nothing is lost
	if err := os.Mkdir(into, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(into)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // only a handle
	for _, f := range reader.File {
		name := filepath.FromSlash(f.Name)
		if f.FileInfo().IsDir() {
			continue // its files make it
		}
		if err := errors.Join(root.MkdirAll(filepath.Dir(name), 0o755), unpackFile(root, f, name)); err != nil {
			return err
		}
	}
	return nil
}

func unpackFile(root *os.Root, f *zip.File, name string) error {
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // its checksum is compared at the end of the content
	if f.Mode()&fs.ModeSymlink != 0 {
		target, err := io.ReadAll(from)
		return errors.Join(err, root.Symlink(string(target), name))
	}
	to, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from) //nolint:gosec // the archive is bounded, and the operator asked for it
	return errors.Join(err, to.Close())
}

// find returns the program in an unpacked archive.
func find(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	for _, path := range chromium.Installed() {
		if strings.HasPrefix(path, real+string(filepath.Separator)) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s has no browser", dir)
}
