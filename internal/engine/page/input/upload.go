package input

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/script"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// chooserTimeout bounds the wait for a page to open its file chooser after a click.
const chooserTimeout = 3 * time.Second

// UploadOptions names the target of an upload: exactly one of Ref and CSS is set. The ref is of a
// file input, its label, an element that contains one, or a button that opens a file chooser.
type UploadOptions struct {
	Ref, CSS  string
	Directory bool // the one path is a directory's
}

// Upload attaches files to a file input, hidden or not. The paths are absolute; the caller checks
// that they may be read. More than one file for an input that takes one is a [document.ValueRefusedError].
func (f *Files) Upload(ctx context.Context, u power.Upload, o UploadOptions, paths []string) (settle.Effect, error) {
	if err := u.Check(); err != nil {
		return settle.Effect{}, err
	}
	ref, err := f.uploadTarget(ctx, o)
	if err != nil {
		return settle.Effect{}, err
	}
	var found struct {
		document.Element
		Found    bool `json:"found"`
		Multiple bool `json:"multiple"`
		N        int  `json:"n"`
		// Directory inputs take any number of files.
		Directory bool `json:"directory"`
	}
	w, _, err := f.doc.LocateRef(ctx, ref)
	if err != nil {
		return settle.Effect{}, fmt.Errorf("uploading: %w", err)
	}
	a, err := f.settle.BeginActionIn(ctx, w, 1, false)
	if err == nil {
		_, err = f.doc.EvaluateRef(ctx, ref, "fileInput", nil, &found)
	}
	if err != nil {
		return settle.Effect{}, fmt.Errorf("uploading: %w", f.doc.Translate(ctx, ref, err))
	}
	if !found.Found {
		return f.uploadThroughChooser(ctx, UploadOptions{Ref: ref, Directory: o.Directory}, paths)
	}
	if o.Directory && !found.Directory {
		return settle.Effect{}, &document.ValueRefusedError{Ref: found.Ref, Value: "a directory", Reason: "it takes files"}
	}
	if len(paths) > 1 && !found.Multiple && !found.Directory {
		return settle.Effect{}, tooMany(found.Ref, len(paths))
	}
	a.Element = &found.Element
	node, err := w.ElementObject(ctx, found.N)
	if err == nil {
		defer w.ReleaseObjects(ctx)
		_, err = cdp.Call(ctx, w.Session, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: node})
	}
	if err != nil {
		return settle.Effect{}, fmt.Errorf("uploading: %w", err)
	}
	if o.Directory {
		f.waitForListing(ctx, ref)
	}
	return f.settle.WaitForApplied(ctx, a)
}

// waitForListing waits until a field has the files of a directory, which the browser lists beside the page; at most
// as long as for a file chooser.
func (f *Files) waitForListing(ctx context.Context, ref string) {
	ctx, cancel := context.WithTimeout(ctx, chooserTimeout)
	defer cancel()
	var found document.Element
	for err := error(nil); err == nil && found.Value == ""; err = settle.Pause(ctx, 20*time.Millisecond) {
		if _, err := f.doc.EvaluateRef(ctx, ref, "fileInput", nil, &found); err != nil {
			return
		}
	}
}

// uploadTarget returns the ref of an upload's target.
func (f *Files) uploadTarget(ctx context.Context, o UploadOptions) (string, error) {
	if o.Ref != "" {
		return o.Ref, nil
	}
	found, _, err := f.locate.Query(ctx, locate.QueryOptions{CSS: o.CSS, PierceShadow: true})
	if err != nil {
		return "", fmt.Errorf("uploading: %w", err)
	}
	if len(found) == 0 {
		return "", &document.NoElementError{Selector: o.CSS}
	}
	return found[0].Ref, nil
}

func tooMany(ref string, n int) error {
	return &document.ValueRefusedError{Ref: ref, Value: fmt.Sprintf("%d files", n), Reason: "it takes one file"}
}

// toldBy returns what a page tells of its prompts by a call of the binding: one of kinds, or "".
func toldBy(raw []byte, kinds ...string) string {
	var called runtime.EventBindingCalled
	if json.Unmarshal(raw, &called) != nil || called.Name != script.PromptBinding || !slices.Contains(kinds, called.Payload) {
		return ""
	}
	return called.Payload
}

// systemDirectory matches directories that Chromium asks a person about, in a window that keeps input from the page.
var systemDirectory = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/(boot|dev|etc|proc|sys)(/|$)`) })

// answerPicker drops files for a picker of a script.
func (f *Files) answerPicker(ctx context.Context, kind string, o UploadOptions, paths []string, called <-chan jsonv2.Value) (settle.Effect, error) {
	switch {
	case kind == "directory" && !o.Directory:
		return settle.Effect{}, &document.ValueRefusedError{Ref: o.Ref, Value: "a file", Reason: "it takes a directory"}
	case kind != "directory" && o.Directory:
		return settle.Effect{}, &document.ValueRefusedError{Ref: o.Ref, Value: "a directory", Reason: "it takes files"}
	case kind == "file" && len(paths) > 1:
		return settle.Effect{}, tooMany(o.Ref, len(paths))
	case o.Directory && systemDirectory().MatchString(paths[0]):
		return settle.Effect{}, &document.ValueRefusedError{Ref: o.Ref, Value: "the directory", Reason: "it belongs to the system, which Chromium keeps from pages"}
	}
	effect, err := f.drop(ctx, o.Ref, paths, true)
	for timeout := time.After(chooserTimeout); err == nil; {
		select {
		case raw := <-called:
			if toldBy(raw, script.PickerSettled) != "" {
				return effect, nil
			}
		case <-timeout:
			err = &NoFileChooserError{Ref: o.Ref}
		case <-ctx.Done():
			err = fmt.Errorf("waiting for a picker: %w", context.Cause(ctx))
		}
	}
	return settle.Effect{}, err
}

// uploadThroughChooser clicks the element and answers the file chooser that it opens. A picker of a script takes the
// files as they are dropped.
func (f *Files) uploadThroughChooser(ctx context.Context, o UploadOptions, paths []string) (settle.Effect, error) {
	opened, cancel := f.doc.Session.Subscribe(cdppage.FileChooserOpened.Method)
	defer cancel()
	called, stop := f.doc.Session.Subscribe(runtime.BindingCalled.Method)
	defer stop()
	intercept := func(ctx context.Context, on bool) error {
		params := cdppage.SetInterceptFileChooserDialogParams{Enabled: on}
		_, err := cdp.Call(ctx, f.doc.Session, cdppage.SetInterceptFileChooserDialog, params)
		return err
	}
	if err := intercept(ctx, true); err != nil {
		return settle.Effect{}, fmt.Errorf("preparing for a file chooser: %w", err)
	}
	if f.RestoreChoosers {
		defer withReleaseDeadline(ctx, func(ctx context.Context) { _ = intercept(ctx, false) })
	}
	if _, err := f.mouse.Click(ctx, Target{Ref: o.Ref}, ClickOptions{}); err != nil {
		return settle.Effect{}, err
	}
	timeout := time.After(chooserTimeout)
	var chooser cdppage.EventFileChooserOpened
	for chooser.Mode == "" {
		select {
		case raw := <-opened:
			if err := json.Unmarshal(raw, &chooser); err != nil {
				return settle.Effect{}, fmt.Errorf("reading the file chooser: %w", err)
			}
		case raw := <-called:
			if kind := toldBy(raw, "file", "files", "directory"); kind != "" {
				return f.answerPicker(ctx, kind, o, paths, called)
			}
		case <-timeout:
			return f.drop(ctx, o.Ref, paths, false)
		case <-ctx.Done():
			return settle.Effect{}, fmt.Errorf("waiting for a file chooser: %w", context.Cause(ctx))
		}
	}
	if chooser.Mode == cdppage.FileChooserOpenedModeSelectSingle && len(paths) > 1 {
		return settle.Effect{}, tooMany(o.Ref, len(paths))
	}
	if _, err := f.doc.TopWorld(ctx); err != nil && !errors.Is(err, document.ErrReplaced) {
		return settle.Effect{}, err
	}
	a := f.settle.BeginAction(1)
	params := dom.SetFileInputFilesParams{Files: paths, BackendNodeID: chooser.BackendNodeID}
	if _, err := cdp.Call(ctx, f.doc.Session, dom.SetFileInputFiles, params); err != nil {
		return settle.Effect{}, fmt.Errorf("uploading: %w", err)
	}
	return f.settle.WaitForEffect(ctx, a)
}

// watchDrag has the document say, by takesDrop, whether the page cancels dragover, as one that takes a drop does. A
// file that is dropped elsewhere would replace the page.
const (
	watchDrag = `function() {
		this.takesDrop = false;
		addEventListener('dragover', (e) => setTimeout(() => { this.takesDrop = e.defaultPrevented }), { capture: true, once: true });
		return true;
	}`
	takesDrop = `function() { return new Promise((r) => setTimeout(() => r(this.takesDrop))) }`
)

// drop drags files from outside of the page onto an element, and drops them where the page takes them, as one that
// awaits them certainly does.
func (f *Files) drop(ctx context.Context, ref string, paths []string, awaited bool) (settle.Effect, error) {
	at, a, err := f.mouse.beginPointerAction(ctx, Target{Ref: ref}, actionability{})
	if err != nil {
		return settle.Effect{}, err
	}
	a.Element = at.Element
	takes := false
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	send := func(kind input.DispatchDragEventType) {
		if err == nil {
			_, err = cdp.Call(ctx, f.doc.Session, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: at.X, Y: at.Y, Data: data})
		}
	}
	err = f.doc.CallShown(ctx, watchDrag, &takes)
	send("dragEnter")
	send("dragOver")
	if err == nil {
		err = f.doc.CallShown(ctx, takesDrop, &takes)
	}
	if err == nil && !takes && !awaited {
		send("dragCancel")
		return settle.Effect{}, &NoFileChooserError{Ref: ref}
	}
	send("dragOver")
	send("drop")
	if err != nil {
		return settle.Effect{}, fmt.Errorf("dropping files: %w", err)
	}
	return f.settle.WaitForEffect(ctx, a)
}
