// Package installation says how the running program was installed, from its path.
//
// It must not know what depends on it: what clients start, and how an upgrade is made.
package installation

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is a way in which a program comes to a machine.
type Kind string

// The kinds.
const (
	NPM    Kind = "npm"    // a package of npm, of a project or of the machine
	Debian Kind = "deb"    // a package of Debian
	Binary Kind = "binary" // a file that someone put there
)

// dpkgList is the path at which Debian lists the files of a package.
const dpkgList = "var/lib/dpkg/info"

// Of returns the kind of the program at a path. Root is the root directory of the system.
func Of(path, root, program string) Kind {
	if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "node_modules") {
		return NPM
	}
	list, err := os.ReadFile(filepath.Join(root, dpkgList, program+".list"))
	if err == nil && slices.ContainsFunc(bytes.Split(list, []byte("\n")), func(line []byte) bool { return string(line) == path }) {
		return Debian
	}
	return Binary
}
