// Package target names the systems that releases are built for, in the words of Go, Node.js and
// Debian. It must not know what is built.
package target

import (
	"fmt"
	"runtime"
	"strings"
)

// Program is the name of the server, and the stem of every file of a release.
const Program = "callsheet"

// SiteProgram is the name of the program that compiles sites, which the server finds beside itself.
const SiteProgram = Program + "-site"

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

// Executable returns the name of the server's file on the target.
func (t Target) Executable() string { return Program + t.suffix() }

// SiteExecutable returns the name of the file of SiteProgram on the target.
func (t Target) SiteExecutable() string { return SiteProgram + t.suffix() }

func (t Target) suffix() string {
	if t.OS == "windows" {
		return ".exe"
	}
	return ""
}

// Binary returns the name of the bare server in the directory of a release.
func (t Target) Binary() string { return Program + "-" + t.String() + t.suffix() }

// SiteBinary returns the name of the bare SiteProgram in the directory of a release.
func (t Target) SiteBinary() string { return SiteProgram + "-" + t.String() + t.suffix() }

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
