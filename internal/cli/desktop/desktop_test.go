//go:build unix

package desktop_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/desktop"
	"github.com/callsheet/callsheet/internal/powertest"
)

// put makes a program the only one on the PATH. Its shell is named in full.
func put(t *testing.T, name, body string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if name != "" {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", ":7")
	return dir
}

func TestTheClipboardGetsTheTextAsItIs(t *testing.T) {
	const text = "-n $(id) `id` \"quoted\" 日本\nsecond line\n"
	// As xclip does, it leaves a process behind that holds its output open.
	dir := put(t, "xclip", `/bin/cat > "$(/usr/bin/dirname "$0")/got"; /bin/sleep 5 &`)
	by, err := desktop.Copy(t.Context(), powertest.Clipboard, text)
	if err != nil || by != filepath.Join(dir, "xclip") {
		t.Fatalf("%q, %v", by, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "got")); err != nil || string(got) != text {
		t.Errorf("the clipboard has %q, %v", got, err)
	}
}

func TestWithoutAClipboard(t *testing.T) {
	var missing *desktop.MissingError
	put(t, "", "")
	if _, err := desktop.Copy(t.Context(), powertest.Clipboard, "x"); !errors.As(err, &missing) || !strings.Contains(err.Error(), "install wl-clipboard") {
		t.Errorf("without a program: %v", err)
	}
	put(t, "xsel", "exit 0")
	t.Setenv("DISPLAY", "")
	if _, err := desktop.Copy(t.Context(), powertest.Clipboard, "x"); !errors.As(err, &missing) || !strings.Contains(err.Error(), "set DISPLAY") {
		t.Errorf("without a display: %v", err)
	}
	put(t, "wl-copy", "echo no compositor >&2; exit 1")
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	if _, err := desktop.Copy(t.Context(), powertest.Clipboard, "x"); err == nil || errors.As(err, &missing) || !strings.Contains(err.Error(), "no compositor") {
		t.Errorf("with a program that fails: %v", err)
	}
}

func TestAnAddressIsShown(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the opener is the system's own here")
	}
	dir := put(t, "xdg-open", `echo "$1" > "$(/usr/bin/dirname "$0")/got"`)
	if _, err := desktop.Open(t.Context(), powertest.Process, "https://example.com/?a=1&b=2"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "got")); err != nil || string(got) != "https://example.com/?a=1&b=2\n" {
		t.Errorf("opened %q, %v", got, err)
	}
	put(t, "", "")
	if _, err := desktop.Open(t.Context(), powertest.Process, "https://example.com/"); !errors.As(err, new(*desktop.MissingError)) {
		t.Errorf("without a desktop: %v", err)
	}
}
