package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/principal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// Fingerprint is that of the viewport, or of the first element that a selector matches.
func (e *Evidence) Fingerprint(ctx context.Context, selector string) (contract.Fingerprint, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	_, mark, err := Screenshot(ctx, e.tab, selector)
	return mark, err
}

// Screenshot takes a PNG of the viewport, or of the first element that a selector matches, with its
// fingerprint.
func Screenshot(ctx context.Context, tab *browser.Tab, selector string) ([]byte, contract.Fingerprint, error) {
	var o capture.Options
	if selector != "" {
		err := tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
			found, _, err := p.Locate.Query(ctx, locate.QueryOptions{CSS: selector, PierceShadow: true})
			if err == nil && len(found) == 0 {
				err = fault.New(codes.Failed, fmt.Sprintf("no element matches %q", selector))
			}
			if err == nil {
				o.Ref = found[0].Ref
			}
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	shot, err := capture.Screenshot(ctx, tab, o)
	if err != nil {
		return nil, 0, err
	}
	mark, err := FingerprintPNG(shot.Data)
	return shot.Data, mark, err
}

// FingerprintPNG is the perceptual hash of a PNG: of the signs of its low frequencies (DCT).
func FingerprintPNG(data []byte) (contract.Fingerprint, error) {
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return 0, fmt.Errorf("read the picture: %w", err)
	}
	return perceptionHash(picture), nil
}

// Exemplars are the fingerprints and baselines that were kept under names, in the state directory.
type Exemplars struct {
	dir       statedir.Dir
	baselines artifact.Baselines
	mu        sync.Mutex // of writers in this process
}

// NewExemplars names the place. Nothing is read or created.
func NewExemplars(dir statedir.Dir, baselines artifact.Baselines) *Exemplars {
	return &Exemplars{dir: dir, baselines: baselines}
}

const (
	exemplarDir = "exemplars"
	// maxExemplars of one class are kept; older ones go.
	maxExemplars = 50
)

// ErrInvalidClass is the error for a name that no class can have.
var ErrInvalidClass = fault.New(codes.Failed, "a class is named with 1 to 64 of A-Z a-z 0-9 . _ -")

// List returns the fingerprints that the principal keeps of a class; none for an unknown class.
func (e *Exemplars) List(ctx context.Context, class string) ([]contract.Fingerprint, error) {
	if !artifact.IsName(class) {
		return nil, ErrInvalidClass
	}
	data, err := os.ReadFile(e.dir.Path(exemplarDir, principal.Of(ctx).String, class+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read class %s: %w", class, err)
	}
	var texts []string
	if err := json.Unmarshal(data, &texts); err != nil {
		return nil, fault.New(codes.Failed, fmt.Sprintf("read class %s: it holds something else", class))
	}
	out := make([]contract.Fingerprint, len(texts))
	for i, text := range texts {
		if out[i], err = contract.ParseFingerprint(text); err != nil {
			return nil, fmt.Errorf("read class %s: %w", class, err)
		}
	}
	return out, nil
}

// Add keeps a fingerprint under a class and says how many the class has.
func (e *Exemplars) Add(ctx context.Context, class string, mark contract.Fingerprint) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	all, err := e.List(ctx, class)
	if err != nil {
		return 0, err
	}
	if !slices.Contains(all, mark) {
		all = append(all, mark)
	}
	all = all[max(0, len(all)-maxExemplars):]
	texts := slicesx.List(all, func(m contract.Fingerprint) string { return m.String() })
	data, err := json.Marshal(texts)
	if err != nil {
		return 0, fmt.Errorf("encode class %s: %w", class, err)
	}
	dir, err := e.dir.Make(exemplarDir, principal.Of(ctx).String)
	if err != nil {
		return 0, err
	}
	file, err := os.CreateTemp(dir, class+".*.part")
	if err != nil {
		return 0, fmt.Errorf("keep class %s: %w", class, err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, class+".json"))
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("keep class %s: %w", class, err), os.Remove(file.Name()))
	}
	return len(all), nil
}

// Difference compares a picture of the viewport, or of the first element that a selector matches, with a
// baseline.
func (e *Evidence) Difference(ctx context.Context, baseline, selector string) (contract.Difference, error) {
	if e.exemplars == nil {
		return contract.Difference{}, fault.New(codes.Failed, "no pictures are kept here")
	}
	before, err := e.exemplars.baselines.Read(ctx, baseline)
	if err == nil && before == nil {
		err = fault.New(codes.Failed, fmt.Sprintf("no baseline %q is kept", baseline))
	}
	if err != nil {
		return contract.Difference{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	now, _, err := Screenshot(ctx, e.tab, selector)
	if err != nil {
		return contract.Difference{}, err
	}
	d, err := capture.Compare(before, now)
	return contract.Difference{Share: d.Share(), Text: d.String()}, err
}

// Exemplars are those of a class.
func (e *Evidence) Exemplars(ctx context.Context, class string) ([]contract.Fingerprint, error) {
	if e.exemplars == nil {
		return nil, fault.New(codes.Failed, "no pictures are kept here")
	}
	return e.exemplars.List(ctx, class)
}
