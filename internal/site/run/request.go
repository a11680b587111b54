package run

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/fetch"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
)

// Request is a request with {parameter} in its texts. A member that mentions a parameter without a value
// is left out. {secret:NAME} is filled in for the origin that the request goes to.
type Request struct {
	Method  string          `json:"method"`
	Path    string          `json:"path"` // relative to the first origin, or an address at one of them
	Query   json.RawMessage `json:"query,omitempty"`
	Headers json.RawMessage `json:"headers,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"` // sent as JSON
	Form    json.RawMessage `json:"form,omitempty"` // sent as a form
}

// AnswerError is an answer that a tool cannot use: one that reports an error, or is no JSON.
type AnswerError struct {
	Method, URL string
	Type        string // media type without parameters; "" is unknown
	Status      int
	Text        string // the beginning of the body, which the site wrote
}

func (e *AnswerError) Error() string {
	at := fmt.Sprintf("%s %s answered %d", e.Method, e.URL, e.Status)
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return at + " (" + http.StatusText(e.Status) + "): the session may not do this; sign in on the site first"
	case e.Status < 200 || e.Status >= 300:
		return at + " (" + http.StatusText(e.Status) + ")"
	case e.Type == "":
		return at + " with a body that is no JSON"
	}
	return at + " with " + e.Type + " that is no JSON; where it is a page to sign in, sign in on the site first"
}

// Code is FAILED.
func (*AnswerError) Code() codes.Code { return codes.Failed }

// send sends the request of the tool, where it has one. A tool that is to stop before its last step
// sends none.
func (c *call) send(ctx context.Context) error {
	if len(c.tool.Steps) != 1 || c.tool.Steps[0].Request == nil {
		return nil
	}
	q := c.tool.Steps[0].Request
	f := requestFilling{call: c, context: ctx}
	req, err := f.request(q)
	if err != nil {
		return err
	}
	req.Secret = f.secret
	if c.drift = c.checkPage(ctx, 1); c.drift != nil {
		return nil
	}
	if c.options.StopBeforeLast {
		c.stopped = true
		return nil
	}
	if err := c.openOrigin(ctx, f.origin); err != nil {
		return err
	}
	var got fetch.Answer
	if err := c.tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		got, err = p.Fetch.Do(ctx, c.options.Network, req)
		return err
	}); err != nil {
		return err
	}
	c.answer, err = c.readAnswer(req, got)
	return err
}

// openOrigin opens the origin that a request goes to, where the tab is at another one: only a page of an
// origin sends its cookies.
func (c *call) openOrigin(ctx context.Context, origin string) error {
	if originOf(c.tab.URL()) == origin {
		return nil
	}
	if err := c.open(ctx, c.tab.ID(), origin+"/"); err != nil {
		return err
	}
	if at := originOf(c.tab.URL()); at != origin {
		return fault.New(codes.Failed, fmt.Sprintf("%s/ leads to %s, and a request of %s needs a page of %s", origin, at, c.tool.Name, origin))
	}
	return nil
}

// originOf returns the origin of an address; "" for a page without one, such as an empty tab.
func originOf(address string) string {
	origin, _ := network.Origin(address)
	return origin
}

// readAnswer reads the JSON of an answer.
func (c *call) readAnswer(req fetch.Request, got fetch.Answer) (*answer, error) {
	refused := &AnswerError{Method: req.Method, URL: withoutQuery(got.URL), Type: mediaType(got.Type), Status: got.Status, Text: got.Text}
	if c.Redact != nil {
		refused.Text = c.Redact(refused.Text)
	}
	refused.Text = text.ClipRunes(refused.Text, 500) // a secret that is cut is not found
	if got.Status < 200 || got.Status >= 300 {
		return nil, refused
	}
	if got.Cut {
		return nil, fault.New(codes.Failed, fmt.Sprintf("%s %s answered more than 4 MiB: ask for less, such as a page of a list", req.Method, refused.URL))
	}
	if strings.TrimSpace(got.Text) == "" && len(c.tool.Outputs) == 0 {
		return &answer{}, nil
	}
	value, err := decodeWhole([]byte(got.Text))
	if err != nil {
		return nil, refused
	}
	return &answer{value}, nil
}

// mediaType returns the media type of a header Content-Type; "" for a header that is none. Its parameters are words
// of the site, which have no place in an error.
func mediaType(header string) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil || len(kind) > 60 {
		return ""
	}
	return kind
}

// withoutQuery returns an address without its query, which may hold values of the caller.
func withoutQuery(address string) string {
	before, _, _ := strings.Cut(address, "?")
	return before
}

// answer is the JSON that a request was answered with, with numbers as json.Number.
type answer struct{ value any }

// extract takes the outputs out of the answer. The drift is that of the first one that is not there or of
// another type.
func (a *answer) extract(outputs []Output) (json.RawMessage, *Drift) {
	if len(outputs) == 0 {
		return nil, nil
	}
	out := map[string]any{}
	for i := range outputs {
		o := &outputs[i]
		v, found := at(a.value, *o.JSON)
		if !o.Required && v == nil {
			continue
		}
		d := &Drift{Kind: DriftOutput, Pos: o.Pos, Expected: fmt.Sprintf("output %s at %q of the answer", o.Name, *o.JSON), Found: "nothing", Near: membersOf(a.value)}
		if !found {
			return nil, d
		}
		fitted, err := fit(v, o.Value, "")
		if err != nil {
			d.Found = err.Error()
			return nil, d
		}
		out[o.Name] = fitted
	}
	raw, _ := json.Marshal(out) // it was read from JSON
	return raw, nil
}

// maxNear bounds the names of members that a drift lists.
const maxNear = 12

func membersOf(v any) []string {
	members, _ := v.(map[string]any)
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, text.ClipRunes(name, 60))
	}
	slices.Sort(names)
	return names[:min(len(names), maxNear)]
}
