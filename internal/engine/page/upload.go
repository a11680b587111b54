package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/generated/power"
)

// chooserTimeout bounds the wait for a page to open its file chooser after a click.
const chooserTimeout = 3 * time.Second

// UploadOptions names the target of an upload: exactly one of Ref and CSS is set. The ref is of a
// file input, its label, an element that contains one, or a button that opens a file chooser.
type UploadOptions struct{ Ref, CSS string }

// Upload attaches files to a file input, hidden or not. The paths are absolute; the caller checks
// that they may be read. More than one file for an input that takes one is a [ValueRefusedError].
func (p *Page) Upload(ctx context.Context, u power.Upload, o UploadOptions, paths []string) (Effect, error) {
	if err := u.Check(); err != nil {
		return Effect{}, err
	}
	ref, err := p.uploadTarget(ctx, o)
	if err != nil {
		return Effect{}, err
	}
	var found struct {
		Element
		Found    bool `json:"found"`
		Multiple bool `json:"multiple"`
		N        int  `json:"n"`
		// Directory inputs take any number of files.
		Directory bool `json:"directory"`
	}
	w, _, err := p.locateRef(ctx, ref)
	if err != nil {
		return Effect{}, fmt.Errorf("uploading: %w", err)
	}
	a, err := p.beginActionIn(ctx, w, 1, false)
	if err == nil {
		_, err = p.evaluateRef(ctx, ref, "fileInput", nil, &found)
	}
	if err != nil {
		return Effect{}, fmt.Errorf("uploading: %w", p.translate(ctx, ref, err))
	}
	if !found.Found {
		return p.uploadThroughChooser(ctx, ref, paths)
	}
	if len(paths) > 1 && !found.Multiple && !found.Directory {
		return Effect{}, tooMany(found.Ref, len(paths))
	}
	a.element = &found.Element
	node, err := w.elementObject(ctx, found.N)
	if err == nil {
		defer w.releaseObjects(ctx)
		_, err = cdp.Call(ctx, w.session, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: node})
	}
	if err != nil {
		return Effect{}, fmt.Errorf("uploading: %w", err)
	}
	return p.waitForEffect(ctx, a)
}

// uploadTarget returns the ref of an upload's target.
func (p *Page) uploadTarget(ctx context.Context, o UploadOptions) (string, error) {
	if o.Ref != "" {
		return o.Ref, nil
	}
	found, _, err := p.Query(ctx, QueryOptions{CSS: o.CSS, PierceShadow: true})
	if err != nil {
		return "", fmt.Errorf("uploading: %w", err)
	}
	if len(found) == 0 {
		return "", &NoElementError{Selector: o.CSS}
	}
	return found[0].Ref, nil
}

func tooMany(ref string, n int) error {
	return &ValueRefusedError{Ref: ref, Value: fmt.Sprintf("%d files", n), Reason: "it takes one file"}
}

// uploadThroughChooser clicks the element and answers the file chooser that it opens.
func (p *Page) uploadThroughChooser(ctx context.Context, ref string, paths []string) (Effect, error) {
	opened, cancel := p.session.Subscribe(cdppage.FileChooserOpened.Method)
	defer cancel()
	intercept := func(ctx context.Context, on bool) error {
		params := cdppage.SetInterceptFileChooserDialogParams{Enabled: on}
		_, err := cdp.Call(ctx, p.session, cdppage.SetInterceptFileChooserDialog, params)
		return err
	}
	if err := intercept(ctx, true); err != nil {
		return Effect{}, fmt.Errorf("preparing for a file chooser: %w", err)
	}
	if p.RestoreFileChoosers {
		defer withReleaseDeadline(ctx, func(ctx context.Context) { _ = intercept(ctx, false) })
	}
	if _, err := p.clickMouse(ctx, Target{Ref: ref}, ClickOptions{}); err != nil {
		return Effect{}, err
	}
	timer := time.NewTimer(chooserTimeout)
	defer timer.Stop()
	var chooser cdppage.EventFileChooserOpened
	select {
	case raw := <-opened:
		if err := json.Unmarshal(raw, &chooser); err != nil {
			return Effect{}, fmt.Errorf("reading the file chooser: %w", err)
		}
	case <-timer.C:
		return Effect{}, &NoFileChooserError{Ref: ref}
	case <-ctx.Done():
		return Effect{}, fmt.Errorf("waiting for a file chooser: %w", context.Cause(ctx))
	}
	if chooser.Mode == cdppage.FileChooserOpenedModeSelectSingle && len(paths) > 1 {
		return Effect{}, tooMany(ref, len(paths))
	}
	if _, err := p.topWorld(ctx); err != nil && !errors.Is(err, errDocumentReplaced) {
		return Effect{}, err
	}
	a := p.beginAction(1)
	params := dom.SetFileInputFilesParams{Files: paths, BackendNodeID: chooser.BackendNodeID}
	_, err := cdp.Call(ctx, p.session, dom.SetFileInputFiles, params)
	if err != nil {
		return Effect{}, fmt.Errorf("uploading: %w", err)
	}
	return p.waitForEffect(ctx, a)
}
