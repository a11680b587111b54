package artifact

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths of names and extensions in bytes.
const (
	maxName      = 120
	maxExtension = 13 // .heapsnapshot
)

// CleanName returns a safe file name for a name that a page or server chose: one path element
// without control, format or reserved characters, not hidden, no device name of Windows, at most
// 120 bytes with its extension. It is never empty.
func CleanName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r): // invisible, or changes the direction: "exe.gpj" reads as "jpg.exe"
			return -1
		case unicode.IsControl(r), strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.TrimLeft(strings.TrimRight(name, ". "), ". ")
	stem, _, _ := strings.Cut(name, ".")
	if isDeviceName(stem) {
		name = "_" + name
	}
	if len(name) > maxName {
		ext := extension(name)
		name = truncate(name[:len(name)-len(ext)], maxName-len(ext)) + ext
	}
	if name == "" {
		return "file"
	}
	return name
}

func isDeviceName(stem string) bool {
	s := strings.ToUpper(strings.TrimSpace(stem))
	if len(s) == 4 && '0' <= s[3] && s[3] <= '9' {
		s = s[:3]
		return s == "COM" || s == "LPT"
	}
	return s == "CON" || s == "PRN" || s == "AUX" || s == "NUL"
}

// extension returns the extension of a clean name, such as ".png", or "".
func extension(name string) string {
	ext := filepath.Ext(name)
	for i := 1; i < len(ext); i++ {
		if c := ext[i] | 0x20; (c < 'a' || c > 'z') && (ext[i] < '0' || ext[i] > '9') {
			return ""
		}
	}
	if len(ext) < 2 || len(ext) > maxExtension {
		return ""
	}
	return ext
}

// truncate returns the longest prefix of s of at most n bytes that ends with a whole character.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
