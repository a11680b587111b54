package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Middleware refuses references to secrets in arguments that the manifest does not mark, lets the engine
// fill in the others where it types them, and redacts results and questions to the client. Handlers get answers
// without values of secrets, and none that names one. A tool with the trait Keeps, and one that
// is made at start-up, passes its arguments on: the calls that it makes are checked.
func (f *Filler) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		if t := s.Surface().Tool(req.Tool); t != nil {
			if err := f.Check(t, req.Args); err != nil {
				return f.redactResult(toolkit.RefusalResult(t.Name, err)), nil
			}
		}
		if progress := req.Progress; progress != nil {
			req.Progress = func(done, total float64, message string) { progress(done, total, f.Redact(message)) }
		}
		rewrite := f.rewriter()
		inputs, err := rewrite.Inputs(req.Inputs)
		if err != nil {
			return f.redactResult(toolkit.RefusalResult(req.Tool, err)), nil
		}
		req.Inputs, req.Interaction = inputs, rewrite.Interaction(req.Interaction)
		if ask := req.Elicit; ask != nil {
			req.Elicit = func(ctx context.Context, q toolkit.Question) (toolkit.Reply, error) {
				return ask(ctx, rewrite.Question(q))
			}
		}
		res, err := next(context.WithValue(ctx, fillerKey{}, f), s, req)
		return f.redactResult(res), err
	}
}

type fillerKey struct{}

// CheckNested returns a refusal of the arguments of a call that a call makes without the middleware, as
// [Filler.Check] does. A nil tool is one of another server, which gets no secret.
func CheckNested(ctx context.Context, t *toolkit.Tool, args []byte) error {
	f, _ := ctx.Value(fillerKey{}).(*Filler)
	if f == nil {
		return nil
	}
	if t == nil {
		t = &toolkit.Tool{Name: "an external server's tool", Traits: toolkit.Traits{Shows: "data"}}
	}
	return f.Check(t, args)
}

// Check returns a refusal if the arguments of a call of t name a secret in a place that none may be in, or
// one that does not exist.
func (f *Filler) Check(t *toolkit.Tool, args []byte) error {
	passesOn := t.Traits.Keeps || t.Traits.Shows == "" // the latter is made at start-up
	if passesOn || !mayHaveReference(args) {
		return nil
	}
	var in any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber() // keeps the text of numbers
	if err := dec.Decode(&in); err != nil {
		return nil // the argument decoder reports the error
	}
	return f.checkValue(t, "", in)
}

// mayHaveReference is quick and accepts too much: JSON may write any character as an escape.
func mayHaveReference(args []byte) bool {
	return bytes.Contains(args, []byte("{secret:")) || bytes.Contains(args, []byte("{totp:")) || bytes.Contains(args, []byte(`\u`))
}

// checkValue checks the strings of a JSON value at a JSON pointer, in the order of their pointers.
func (f *Filler) checkValue(t *toolkit.Tool, at string, in any) error {
	switch in := in.(type) {
	case string:
		return f.checkText(t, at, in)
	case []any:
		for i := range in {
			if err := f.checkValue(t, at+"/"+strconv.Itoa(i), in[i]); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(in)) {
			if reference().MatchString(name) {
				return denied(t, at)
			}
			if err := f.checkValue(t, at+"/"+name, in[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Filler) checkText(t *toolkit.Tool, at, text string) error {
	for _, m := range reference().FindAllStringSubmatch(text, -1) {
		if t.Traits.Secret(at) == "" {
			return denied(t, at)
		}
		if m[1] == "secret" && (f.vault == nil || f.vault.values[m[2]] == nil) {
			return f.vault.unknown(m[2])
		}
	}
	return nil
}

// denied is the refusal of a reference in an argument that no secret may be in.
func denied(t *toolkit.Tool, at string) error {
	return toolkit.Refuse(toolkit.PolicyDenied, fmt.Sprintf("%s of %s takes no secret: one can be typed into a field of a page, "+
		"and not be part of an address, a script, a header or what a site stores", at, t.Name), toolkit.Field{Name: "surface", Value: "secret"})
}

// redactResult redacts all text of a result.
func (f *Filler) redactResult(res toolkit.CallResult) toolkit.CallResult {
	for i := range res.Content {
		res.Content[i].Text = f.Redact(res.Content[i].Text)
	}
	if res.Structured != nil {
		res.Structured = JSON(f.Redact, res.Structured)
	}
	for i, l := range res.Links {
		res.Links[i].Name, res.Links[i].Description = f.Redact(l.Name), f.Redact(l.Description)
	}
	res.Ask = f.rewriter().Ask(res.Ask)
	return res
}

// RedactWriter returns a writer to w that redacts each Write on its own, for a log that writes
// whole lines.
func (v *Vault) RedactWriter(w io.Writer) io.Writer {
	if v == nil {
		return w
	}
	return redactingWriter{v, w}
}

type redactingWriter struct {
	vault *Vault
	to    io.Writer
}

func (w redactingWriter) Write(line []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.vault.Redact(string(line))); err != nil {
		return 0, fmt.Errorf("write the log: %w", err)
	}
	return len(line), nil
}
