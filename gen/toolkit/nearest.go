package toolkit

import "github.com/callsheet/callsheet/gen/spelling"

// Nearest returns the candidate closest to name, or "" when none is close.
func Nearest(name string, candidates []string) string { return spelling.Nearest(name, candidates) }
