package network

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/networkapi"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// messagesBytes is for the messages of an answer, in bytes, below what the manifest allows.
const messagesBytes = 26000

// parsePattern compiles a regular expression of a caller; nil without one.
func parsePattern(pattern toolkit.Opt[string]) (*regexp.Regexp, error) {
	if !pattern.Set {
		return nil, nil
	}
	re, err := regexp.Compile(pattern.Value)
	if err != nil {
		return nil, toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("pattern is no regular expression: %v", err))
	}
	return re, nil
}

func liteFilter(ctx context.Context, in networkapi.NetworkCaptureLiteParams) (network.Filter, error) {
	re, err := parsePattern(in.Pattern)
	return network.Filter{
		URL: in.Filter.Value, Status: in.Status.Value, Types: in.Types, Since: in.Since.Value, Method: in.Method.Value, Pattern: re, Shown: secret.Shown(ctx),
		MinBytes: int64(in.MinBytes.Value), MinDuration: time.Duration(in.MinMs.Value) * time.Millisecond,
	}, err
}

func fullFilter(ctx context.Context, in networkapi.NetworkCaptureFullParams) (network.Filter, error) {
	re, err := parsePattern(in.Pattern)
	return network.Filter{
		URL: in.Filter.Value, Status: in.Status.Value, Since: in.Since.Value, Method: in.Method.Value, Pattern: re, Shown: secret.Shown(ctx),
		MinBytes: int64(in.MinBytes.Value), MinDuration: time.Duration(in.MinMs.Value) * time.Millisecond,
	}, err
}

// entry returns the request with a number, without secrets.
func entry(c *network.Capture, number int) (network.Entry, network.Record, error) {
	record := c.Read()
	i := slices.IndexFunc(record.Entries, func(e network.Entry) bool { return e.Number == number })
	if i < 0 {
		return network.Entry{}, record, toolkit.Refuse(codes.NotFound, fmt.Sprintf("no request has number %d; %s", number, numbers(record)))
	}
	return network.RedactAll(record.Entries[i:i+1], record.Entries)[0], record, nil
}

// body shows a part of a body as text.
func body(ctx context.Context, e network.Entry, in networkapi.NetworkCaptureFullParams) (toolkit.Result, error) {
	data, name := e.Body, "response body"
	if in.Sent.Value {
		data, name = []byte(e.PostData), "request body"
	}
	switch {
	case len(data) == 0 && !in.Sent.Value && e.BodyOmitted != "":
		return toolkit.Textf("no body: %s", e.BodyOmitted), nil
	case len(data) == 0 && !e.Done && !in.Sent.Value:
		return toolkit.Text("the body has not arrived yet"), nil
	case len(data) == 0:
		return toolkit.Textf("the %s is empty", name), nil
	case !utf8.Valid(data):
		return toolkit.Textf("the %s is no text: %d bytes of %s; get with number and path writes it to a file", name, len(data), e.MIME), nil
	}
	data = []byte(secret.Shown(ctx)(string(data))) // a part of a secret would not be recognised
	if in.Offset >= len(data) {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("the %s has %d bytes", name, len(data)))
	}
	start, end := in.Offset, min(in.Offset+in.MaxBytes, len(data))
	for start > 0 && !utf8.RuneStart(data[start]) { // whole characters
		start--
	}
	for end < len(data) && end > start+1 && !utf8.RuneStart(data[end]) {
		end--
	}
	head := fmt.Sprintf("%s of %d bytes, %d to %d", name, len(data), start, end)
	if end < len(data) {
		head += fmt.Sprintf("; the next part has offset %d", end)
	}
	return toolkit.Text(head + ":\n" + bodyIndent + fence.Block(string(data[start:end]), bodyIndent)), nil
}

// curl shows a request as a command.
func curl(e network.Entry) toolkit.Result {
	out := fence.Block(e.Curl(), "  ")
	if strings.Contains(out, network.Redacted) {
		out += "\n# " + network.Redacted + " stands for secrets"
	}
	if strings.HasSuffix(e.PostData, "…") {
		out += "\n# the body was too long to record and is cut off"
	}
	return toolkit.Text(out)
}

// timing shows what made the browser send a request, and the parts of its time.
func timing(e network.Entry, record network.Record) toolkit.Result {
	var b strings.Builder
	b.WriteString(e.String())
	i := e.Initiator()
	b.WriteString("\ninitiator: " + i.Type)
	for _, f := range i.Stack {
		b.WriteString("\n  " + place(f))
	}
	fmt.Fprintf(&b, "\nstarted %s", e.Started.UTC().Format("15:04:05.000"))
	if first := record.Entries[0]; first.Number != e.Number {
		fmt.Fprintf(&b, ", %d ms after request %d", e.Started.Sub(first.Started).Milliseconds(), first.Number)
	}
	if e.Priority != "" {
		b.WriteString(", priority " + e.Priority)
	}
	phases := e.Phases()
	switch {
	case !e.Done:
		b.WriteString("\nit has not finished")
		return toolkit.Text(b.String())
	case len(phases) == 1 && phases[0].IsOnlyEstimate:
		fmt.Fprintf(&b, "\ntook %s ms; the browser reports no parts of it", milliseconds(e.Duration))
		return toolkit.Text(b.String())
	}
	for _, p := range phases {
		fmt.Fprintf(&b, "\n  %-8s at %s ms took %s ms", p.Name, milliseconds(p.Start), milliseconds(p.Took))
		if p.IncludesTLS > 0 {
			fmt.Fprintf(&b, ", of it TLS %s ms", milliseconds(p.IncludesTLS))
		}
	}
	return toolkit.Text(b.String())
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }

func place(f network.Frame) string {
	out := fence.Line(text.ClipRunes(f.URL, 200))
	if f.Line > 0 {
		out += fmt.Sprintf(":%d:%d", f.Line, f.Column)
	}
	if f.Function != "" {
		out = fence.Line(text.ClipRunes(f.Function, 100)) + " (" + out + ")"
	}
	return out
}

// messages shows the messages of one connection, or which connections have some.
func messages(ctx context.Context, c *network.Capture, in networkapi.NetworkCaptureFullParams) (toolkit.Result, error) {
	if !in.Number.Set {
		return connections(c), nil
	}
	q := network.MessageQuery{Since: in.Since.Value, Contains: in.Contains.Value, Limit: max(in.Limit, 1), Shown: secret.ShownTexts(ctx)}
	if in.Sent.Set {
		q.Sent = &in.Sent.Value
	}
	var err error
	if q.Pattern, err = parsePattern(in.Pattern); err != nil {
		return toolkit.Result{}, err
	}
	e, record, err := entry(c, in.Number.Value)
	if err != nil {
		return toolkit.Result{}, err
	}
	found, ok := c.Messages(in.Number.Value, q)
	if !ok {
		return toolkit.Textf("request %d had no messages", in.Number.Value), nil
	}
	shown := network.RedactMessages(found.Messages, record.Entries)
	lines, used, first := make([]string, len(shown)), 0, 0
	for i := len(shown) - 1; i >= 0; i-- { // the newest are worth most
		lines[i] = messageLine(shown[i])
		if used += len(lines[i]) + 1; used > messagesBytes {
			first = i + 1
			break
		}
	}
	head := fmt.Sprintf("%s\n%d messages", e.String(), found.Total)
	if found.Kept < found.Total {
		head += fmt.Sprintf(", the newest %d are kept", found.Kept)
	}
	if found.Matched < found.Kept {
		head += fmt.Sprintf(", %d fit", found.Matched)
	}
	if n := len(shown) - first; n < found.Matched {
		head += fmt.Sprintf("; the newest %d", n)
	}
	return toolkit.Text(strings.Join(append([]string{head}, lines[first:]...), "\n")), nil
}

// messageLine shows a message: 3 received text 14:02:01.123 {"price": 2}.
func messageLine(m network.Message) string {
	direction := "received"
	if m.Sent {
		direction = "sent"
	}
	out := fmt.Sprintf("%d %s %s %s ", m.Seq, direction, fence.Line(m.Kind), m.Time.UTC().Format("15:04:05.000"))
	if m.Kind == "binary" {
		return out + fmt.Sprintf("%d bytes", m.Size)
	}
	out += fence.Block(text.ClipBytes(m.Data, preview), bodyIndent)
	if m.Size > preview {
		out += fmt.Sprintf(" (%d bytes)", m.Size)
	}
	return out
}

func connections(c *network.Capture) toolkit.Result {
	counts := c.Connections()
	if len(counts) == 0 {
		return toolkit.Text("no WebSocket or EventSource has had a message since the capture was started")
	}
	byNumber := map[int]network.Entry{}
	for _, e := range c.Read().Entries {
		byNumber[e.Number] = e
	}
	var lines []string
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%s, %d messages", byNumber[number].Redact().String(), counts[number]))
	}
	return toolkit.Text(strings.Join(lines, "\n"))
}
