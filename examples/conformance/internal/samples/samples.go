// Package samples holds the small files that the server's answers contain.
package samples

import _ "embed" // of the files

// PNG is a picture of one red pixel, and WAV a sound of one silent sample.
var (
	//go:embed red.png
	PNG []byte
	//go:embed silence.wav
	WAV []byte
)
