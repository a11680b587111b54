// Package daemon is both ends of a process that commands share: the client finds it and starts it
// on demand; the server is the only one of its user, and ends after a time without connections.
//
// They talk over a unix socket that only this user can reach. A connection begins with one line
// each way, a Hello and a Status; another protocol follows. The package must not know that
// protocol, nor the purpose of the process.
package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// maxSocketPath bounds the path of the socket in bytes. The limit of the kernel is 108 on Linux and
// 104 elsewhere.
const maxSocketPath = 100

// Directory has the socket and the lock of the daemon of a user.
type Directory struct{ dir string }

// Open returns the directory dir, and creates it if it is missing. It replaces a path too long for
// a socket by a short one among the temporary files. It refuses a directory that others can write
// to, since they could answer in place of the daemon.
func Open(dir string) (Directory, error) {
	if p := (Directory{dir}); len(p.Socket()) > maxSocketPath {
		sum := sha256.Sum256([]byte(dir))
		dir = filepath.Join(os.TempDir(), "callsheet-"+strconv.Itoa(os.Getuid())+"-"+hex.EncodeToString(sum[:6]))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Directory{}, fmt.Errorf("create the directory of the daemon: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return Directory{}, fmt.Errorf("inspect the directory of the daemon: %w", err)
	}
	if err := checkPrivate(info); err != nil {
		return Directory{}, fmt.Errorf("use %s for the daemon: %w", dir, err)
	}
	return Directory{dir}, nil
}

// Path returns the path of the directory.
func (d Directory) Path() string { return d.dir }

// Socket returns the path of the socket.
func (d Directory) Socket() string { return filepath.Join(d.dir, "daemon.sock") }

func (d Directory) lock() string { return filepath.Join(d.dir, "daemon.lock") }

// pid returns the path of the file with the process id of the daemon, which clients read when it
// does not answer.
func (d Directory) pid() string { return filepath.Join(d.dir, "daemon.pid") }

var errNotPrivate = errors.New("it must be a directory that only you can use")
