// Package output holds what a run of the compiler wants on disk, and is the only part of it that touches the disk.
//
// Emitters return Files; a Plan compares them with a directory or makes the directory equal to them. It must not know
// what the files mean.
package output

// File is one planned file. Path is slash-separated and relative to the directory the plan owns.
type File struct {
	Path string
	Data []byte
}
