// Package target names the systems that releases are built for, in the words of Go, Node.js and
// Debian. It must not know what is built.
package target

import (
	"fmt"
	"runtime"
	"strings"
)

// Program is the name of the program, and the stem of every file of a release.
const Program = "callsheet"

// Target is one operating system on one processor, in Go's names.
type Target struct{ OS, Arch string }

// All returns the targets of a release in the order of their names.
func All() []Target {
	var out []Target
	for _, os := range []string{"darwin", "linux", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			out = append(out, Target{os, arch})
		}
	}
	return out
}

// Host returns the target that this process runs on, which may be none of All.
func Host() Target { return Target{runtime.GOOS, runtime.GOARCH} }

// Parse reads OS/ARCH; "host" and "all" stand for Host and All.
func Parse(names string) ([]Target, error) {
	switch names {
	case "all":
		return All(), nil
	case "host":
		names = Host().OS + "/" + Host().Arch
	}
	var out []Target
	for name := range strings.SplitSeq(names, ",") {
		found := false
		for _, t := range All() {
			if t.OS+"/"+t.Arch == name {
				out, found = append(out, t), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no release has the target %q; name some of linux, darwin, windows with amd64 or arm64, as in linux/amd64", name)
		}
	}
	return out, nil
}

// String returns the target as file names have it: linux-amd64.
func (t Target) String() string { return t.OS + "-" + t.Arch }

// Executable returns the name of the program's file on the target.
func (t Target) Executable() string {
	if t.OS == "windows" {
		return Program + ".exe"
	}
	return Program
}

// Binary returns the name of the bare program in the directory of a release.
func (t Target) Binary() string {
	return Program + "-" + t.String() + strings.TrimPrefix(t.Executable(), Program)
}

// NodeOS returns process.platform of Node.js.
func (t Target) NodeOS() string {
	if t.OS == "windows" {
		return "win32"
	}
	return t.OS
}

// NodeArch returns process.arch of Node.js.
func (t Target) NodeArch() string {
	if t.Arch == "amd64" {
		return "x64"
	}
	return t.Arch
}
