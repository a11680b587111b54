// Package prompt records what a page asks of a person by windows of a browser that shows none: pickers of files,
// choosers of devices, passkeys, permissions, prints.
//
// It must not know tabs, sessions or tools.
package prompt

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/script"
)

// maxUntold bounds the prompts that wait to be told.
const maxUntold = 8

// Log has the prompts of one tab that no answer has told. The zero value is ready for use.
type Log struct {
	mu     sync.Mutex
	untold []string
}

// Watch has the pages of a session tell what they ask for, from their first script on, unless a person sees the
// windows.
func Watch(ctx context.Context, s cdp.Session, headless bool) error {
	if !headless {
		return nil
	}
	if _, err := cdp.Call(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: script.PromptBinding}); err != nil {
		return fmt.Errorf("watch the prompts of a page: %w", err)
	}
	_, err := cdp.Call(ctx, s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script.Clipboard + script.Prompts, RunImmediately: new(true)})
	if err != nil {
		return fmt.Errorf("watch the prompts of a page: %w", err)
	}
	return nil
}

// Observe records an event of the session. What a page tells of itself is one of a few words, else ignored.
func (l *Log) Observe(event any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch ev := event.(type) {
	case *page.EventFrameNavigated:
		if ev.Frame.ParentID == "" {
			l.settle()
		}
	case *page.EventFrameRequestedNavigation:
		if scheme, _, ok := strings.Cut(ev.URL, ":"); ok && !slices.Contains(shownSchemes, strings.ToLower(scheme)) {
			l.note("program " + scheme)
		}
	case *runtime.EventBindingCalled:
		switch {
		case ev.Name != script.PromptBinding:
		case ev.Payload == script.PickerSettled:
			l.settle()
		default:
			l.note(ev.Payload)
		}
	}
}

// ObserveFrame records an event of the session of an out-of-process frame: the documents of frames settle nothing.
func (l *Log) ObserveFrame(event any) {
	if _, navigated := event.(*page.EventFrameNavigated); !navigated {
		l.Observe(event)
	}
}

// shownSchemes are those of the addresses that the browser shows itself.
var shownSchemes = []string{"http", "https", "about", "blob", "data", "javascript", "file", "filesystem", "view-source", "chrome", "chrome-error", "chrome-extension"}

// note keeps what a page asks for until Take, once.
func (l *Log) note(kind string) {
	if lineOf(kind) != "" && !slices.Contains(l.untold, kind) && len(l.untold) < maxUntold {
		l.untold = append(l.untold, kind)
	}
}

// settle forgets the pickers that wait.
func (l *Log) settle() {
	l.untold = slices.DeleteFunc(l.untold, func(kind string) bool { return strings.HasPrefix(lineOf(kind), "the page waits") })
}

// Take returns what the pages asked for since the last call, a line for each, and forgets it.
func (l *Log) Take() (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, kind := range l.untold {
		lines = append(lines, lineOf(kind))
	}
	l.untold = nil
	return lines
}

// permissions have the names that a line may have.
var permissions = []string{
	"geolocation", "notifications", "camera", "microphone", "clipboard-read", "midi", "idle-detection", "local-fonts", "window-management",
}

var schemes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9+.-]{0,30}$`) })

// lineOf says what a page asks for and what to do; "" for an unknown kind.
func lineOf(kind string) string {
	if name, ok := strings.CutPrefix(kind, "permission "); ok && slices.Contains(permissions, name) {
		return fmt.Sprintf("the page asks for the permission %s, which it does not have; emulate_environment {\"permissions\": [\"%s=granted\"]} grants it", name, name)
	}
	if scheme, ok := strings.CutPrefix(kind, "program "); ok && schemes().MatchString(scheme) {
		return fmt.Sprintf("the page asked to open a %s: address by another program, and was ignored: there is none here", scheme)
	}
	return map[string]string{
		"file":      "the page waits for a file by a picker; file_upload with this element and the file's path gives it, the next click cancels it",
		"files":     "the page waits for files by a picker; file_upload with this element and the paths gives them, the next click cancels it",
		"directory": "the page waits for a directory by a picker; file_upload with this element and the directory's path gives it, the next click cancels it",
		"save":      "the page asked where to save a file; what it writes becomes a download",
		"usb":       "the page asked for a USB device, and was refused as by Cancel: there is none here",
		"serial":    "the page asked for a serial port, and was refused as by Cancel: there is none here",
		"hid":       "the page asked for an input device, and was refused as by Cancel: there is none here",
		"bluetooth": "the page asked for a Bluetooth device, and was refused as by Cancel: there is none here",
		"screen":    "the page asked to record the screen, and was refused as by Cancel",
		"colour":    "the page asked to pick a colour from the screen, and was refused as by Cancel",
		"passkey":   "the page asked for a passkey, and was refused as by Cancel: there is none here; sign in another way, or have a person do it",
		"account":   "the page asked for an account of another site (FedCM), and was refused as by Cancel; sign in another way, or have a person do it",
		"payment":   "the page asked for a payment by a window of the browser, and was refused as by Cancel",
		"code":      "the page asked for a code of a text message, and was refused as by Cancel: no telephone is here; the field for the code takes it",
		"headset":   "the page asked for a headset (WebXR), and was refused: there is none here",
		"write":     "the page asked to write to a file that it was given, and was refused; a file that it saves becomes a download",
		"protocol":  "the page asked to open links of a protocol in this browser, and was ignored",
		"print":     "the page asked to print; page_pdf prints it",
	}[kind]
}
