package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Middleware replaces references in arguments of calls by values and redacts results. It refuses
// references in URLs and scripts, through which a hostile page could make the agent leak a value. A
// tool with the trait Keeps gets the references unchanged.
func (v *Vault) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.Result, error) {
		if t := s.Surface().Tool(req.Tool); t != nil && !t.Traits.Keeps {
			filled, err := v.substituteArgs(t, req.Args)
			if err != nil {
				return v.redactResult(toolkit.RefusalResult(t.Name, err)), nil
			}
			req.Args = filled
		}
		if progress := req.Progress; progress != nil {
			req.Progress = func(done, total float64, message string) { progress(done, total, v.Redact(message)) }
		}
		res, err := next(ctx, s, req)
		return v.redactResult(res), err
	}
}

// substituteArgs returns the arguments of a call of t with references replaced.
func (v *Vault) substituteArgs(t *toolkit.Tool, args []byte) ([]byte, error) {
	if !reference.Match(args) {
		return args, nil
	}
	var in any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber() // keeps the text of numbers
	if err := dec.Decode(&in); err != nil {
		return args, nil // the argument decoder reports the error
	}
	if slices.Contains(t.Surfaces, "evaluate") {
		return nil, denied("a script may send it anywhere")
	}
	out, err := v.substituteValue("", in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func denied(why string) error {
	return toolkit.Refuse(toolkit.PolicyDenied, "a secret can be typed into a page or stored, nothing else: "+why,
		toolkit.Field{Name: "surface", Value: "secret"})
}

// substituteValue replaces references in the strings of a JSON value. at is the name of its
// property.
func (v *Vault) substituteValue(at string, in any) (out any, err error) {
	switch in := in.(type) {
	case string:
		if strings.Contains(strings.ToLower(at), "url") && reference.MatchString(in) {
			return nil, denied("an address may carry it anywhere")
		}
		return v.substitute(in)
	case []any:
		for i := range in {
			if in[i], err = v.substituteValue(at, in[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range in {
			if in[name], err = v.substituteValue(name, in[name]); err != nil {
				return nil, err
			}
		}
	}
	return in, nil
}

// redactResult redacts all text of a result.
func (v *Vault) redactResult(res toolkit.Result) toolkit.Result {
	for i := range res.Content {
		res.Content[i].Text = v.Redact(res.Content[i].Text)
	}
	if res.Structured != nil {
		res.Structured = JSON(v.Redact, res.Structured)
	}
	for i, l := range res.Links {
		res.Links[i].Name, res.Links[i].Description = v.Redact(l.Name), v.Redact(l.Description)
	}
	if res.Ask != nil {
		ask := *res.Ask
		ask.System, ask.Prompt = v.Redact(ask.System), v.Redact(ask.Prompt)
		res.Ask = &ask
	}
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
