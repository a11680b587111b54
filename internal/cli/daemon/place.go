// Package daemon lets commands that come and go share one process that stays: it finds it, starts it on demand, keeps it
// the only one, and ends it when nobody has needed it for a while.
//
// The two talk over a unix socket that only this user can reach. A connection begins with one line each way, a Hello and
// a Status; what follows is for others to say. The package must not know that protocol, nor what the process is for.
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

// maxSocket is how long a socket's path may be in bytes: the kernel's limit is 108 on Linux, 104 elsewhere.
const maxSocket = 100

// Place is where the daemon of a user is found: a directory with its socket and its lock.
type Place struct{ dir string }

// At is a place in directory dir, which is made if there is none. A path too long for a socket is replaced by a short one
// in the directory for temporary files. Whoever else could write there could answer in the daemon's name, so a directory
// of another user, or open to others, is refused.
func At(dir string) (Place, error) {
	if p := (Place{dir}); len(p.Socket()) > maxSocket {
		sum := sha256.Sum256([]byte(dir))
		dir = filepath.Join(os.TempDir(), "callsheet-"+strconv.Itoa(os.Getuid())+"-"+hex.EncodeToString(sum[:6]))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Place{}, fmt.Errorf("make the daemon's directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return Place{}, fmt.Errorf("look at the daemon's directory: %w", err)
	}
	if err := private(info); err != nil {
		return Place{}, fmt.Errorf("use %s for the daemon: %w", dir, err)
	}
	return Place{dir}, nil
}

// Socket is the path of the socket.
func (p Place) Socket() string { return filepath.Join(p.dir, "daemon.sock") }

func (p Place) lock() string { return filepath.Join(p.dir, "daemon.lock") }

var errNotPrivate = errors.New("it must be a directory that only you can use")
