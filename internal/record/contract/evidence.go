package contract

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
)

// Evidence is where facts come from. An error of a method says that the fact is not to be had; what
// stands on it is then inconclusive, for the error's reason. Each look calls a method at most once
// per argument.
type Evidence interface {
	// URL is the address of the document, and the same as it may be shown.
	URL(ctx context.Context) (full, shown string, err error)
	// Elements answers each selector, in the same order.
	Elements(ctx context.Context, selectors []string) ([]Elements, error)
	// Requests lists what was sent since a moment. Complete says that nothing can be missing.
	Requests(ctx context.Context, since Since) (list []Request, complete bool, err error)
	// Messages lists what the page has said since it was loaded.
	Messages(ctx context.Context) (list []Message, complete bool, err error)
	// Measures are those of the document by the names of Metrics. What has not happened yet is
	// absent.
	Measures(ctx context.Context) (map[string]float64, error)
	// Heap is the memory of the page.
	Heap(ctx context.Context) (HeapUsage, error)
	// Fingerprint is that of a picture of the viewport, or of the first element of a selector.
	Fingerprint(ctx context.Context, selector string) (Fingerprint, error)
	// Exemplars are the fingerprints that were kept under a class; none is no error.
	Exemplars(ctx context.Context, class string) ([]Fingerprint, error)
	// Difference is that of a picture of the viewport, or of the first element of a selector, from a baseline.
	Difference(ctx context.Context, baseline, selector string) (Difference, error)
	// Downloads lists those that began since a moment.
	Downloads(ctx context.Context, since Since) ([]Download, error)
	// Audit audits the document for categories of AuditCategories, limited to rules if there are any.
	Audit(ctx context.Context, categories, rules []string) (AuditReport, error)
	// Dialog describes the open JavaScript dialog, or is "".
	Dialog(ctx context.Context) (string, error)
}

// Since is a moment that requests and downloads are counted from.
type Since string

// The moments: the load of the document, the last action on the tab, and the beginning of the
// judgement.
const (
	SinceLoad  Since = "load"
	SinceCall  Since = "call"
	SinceStart Since = "start"
)

// Elements are the matches of a selector in all documents of the page.
type Elements struct {
	Total int
	// Elements are the first of them, at most 50.
	Elements []Element
	// Problem says why there is no answer, such as a selector that does not parse; "" if there is
	// one.
	Problem string
}

// Element is one element as it is now.
type Element struct {
	Text           string // what a person could read of it
	TextTruncated  bool   // there is more text
	Value          string // of a field; never of one that is Secret
	ValueTruncated bool   // there is more of it
	IsField        bool   // it has a value
	IsSecret       bool   // it holds a password or the like
	// Name says which it is, for people: button "Save".
	Name                                                                         string
	Visible, Disabled, Checkable, Checked, Focused, Editable, Readonly, Required bool
}

// Request is one request.
type Request struct {
	URL, Method string
	DisplayURL  string // the address as it may be shown
	Status      int    // 0 without a response so far
	Failure     string // why there will be none
}

// Message is something that the page said.
type Message struct {
	Level string // error, warning, info, log or debug
	Text  string
	Count int
}

// AuditReport is the result of an audit.
type AuditReport struct {
	Findings []AuditFinding
	// Incomplete says by category why not all of it is known; a category that is known is absent.
	Incomplete map[string]string
}

// AuditFinding is a rule or a check that does not hold.
type AuditFinding struct {
	ID, Category, Impact string
	Total                int // elements, or other causes
}

// Download is a file on its way, or here.
type Download struct {
	Name  string
	Bytes int64
	State string // running, done, canceled or failed
}

// Difference says in what a picture differs from a baseline.
type Difference struct {
	Share float64 // of the pixels, from 0 to 1
	Text  string  // for people
}

// Fingerprint is a perceptual hash of a picture: pictures that look alike differ in few bits.
type Fingerprint uint64

// FingerprintBits is the number of bits that can differ.
const FingerprintBits = 64

// Distance is the number of bits in which two differ.
func (f Fingerprint) Distance(o Fingerprint) int { return bits.OnesCount64(uint64(f ^ o)) }

// String writes 16 hexadecimal digits.
func (f Fingerprint) String() string { return fmt.Sprintf("%016x", uint64(f)) }

// ParseFingerprint reads what String writes.
func ParseFingerprint(s string) (Fingerprint, error) {
	n, err := strconv.ParseUint(s, 16, 64)
	if err != nil || len(s) != 16 {
		return 0, fault.New(codes.Failed, fmt.Sprintf("%q is no fingerprint: 16 hexadecimal digits", text.ClipRunes(s, 40)))
	}
	return Fingerprint(n), nil
}

// observation caches the evidence of one attempt, so that each fact is gathered once.
type observation struct {
	ctx       context.Context
	evidence  Evidence
	selectors []string

	url       cached[address]
	elements  cached[[]Elements]
	messages  cached[evidenceList[Message]]
	measures  cached[map[string]float64]
	heap      cached[HeapUsage]
	dialog    cached[string]
	requests  [3]cached[evidenceList[Request]]
	downloads [3]cached[[]Download]
}

type address struct{ full, shown string }

// evidenceList is a list that may lack something.
type evidenceList[T any] struct {
	list       []T
	isComplete bool
}

type cached[T any] struct {
	isKnown bool
	value   T
	err     error
}

// get asks at the first time.
func (c *cached[T]) get(ask func() (T, error)) (T, error) {
	if !c.isKnown {
		c.value, c.err = ask()
		c.isKnown = true
	}
	return c.value, c.err
}

func (o *observation) elementsOf(selector int) (Elements, error) {
	all, err := o.elements.get(func() ([]Elements, error) {
		list, err := o.evidence.Elements(o.ctx, o.selectors)
		if err == nil && len(list) != len(o.selectors) {
			err = fault.New(codes.Failed, fmt.Sprintf("%d selectors have %d answers", len(o.selectors), len(list)))
		}
		return list, err
	})
	if err != nil {
		return Elements{}, err
	}
	if problem := all[selector].Problem; problem != "" {
		return Elements{}, fault.New(codes.Failed, fmt.Sprintf("selector %q: %s", text.ClipRunes(o.selectors[selector], maxShownRunes), problem))
	}
	return all[selector], nil
}

func (o *observation) requestsSince(since Since) (evidenceList[Request], error) {
	return o.requests[since.index()].get(func() (c evidenceList[Request], err error) {
		c.list, c.isComplete, err = o.evidence.Requests(o.ctx, since)
		return c, err
	})
}

func (o *observation) consoleMessages() (evidenceList[Message], error) {
	return o.messages.get(func() (c evidenceList[Message], err error) {
		c.list, c.isComplete, err = o.evidence.Messages(o.ctx)
		return c, err
	})
}

func (o *observation) downloadsSince(since Since) ([]Download, error) {
	return o.downloads[since.index()].get(func() ([]Download, error) { return o.evidence.Downloads(o.ctx, since) })
}

// sinceNames returns the values of since, the default first.
func sinceNames() []string { return []string{string(SinceLoad), string(SinceCall), string(SinceStart)} }

func (s Since) index() int {
	switch s {
	case SinceCall:
		return 1
	case SinceStart:
		return 2
	case SinceLoad:
	}
	return 0
}

// collapseSpace replaces each run of white space by one space.
func collapseSpace(text string) string { return strings.Join(strings.Fields(text), " ") }
