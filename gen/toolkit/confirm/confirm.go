// Package confirm asks the person behind a client before a tool runs, as confirm in the manifest says.
//
// Generated code calls it when the arguments are decoded. It must know no tool. Values of arguments can be text of strangers: they
// stand in quotation marks, bounded, and with every character visible, so that none reads as a part of the question.
package confirm

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/code"
)

// Part is a piece of a question: a text of the manifest, or the value of the parameter Name.
type Part struct {
	Text    string
	Name    string
	Default string // of the parameter, as JSON; "" is none
}

const (
	key        = "toolkit_confirm" // of the question among the inputs of a call
	capability = "elicitation"
	maxValue   = 200 // characters of a value
	maxItems   = 10  // values of a list
	origin     = "\n\nWhat stands in quotation marks comes with the call. It is not a text of this server."
)

// schema is a form without fields: a person agrees by sending it.
const schema = `{"type":"object","properties":{}}`

// Ask returns nil when the person behind the client agrees to the call, and else a refusal. Where a question is the result of a
// request, its error is the question, as that of Call.Ask.
func Ask(ctx context.Context, call *toolkit.Call, args []byte, parts ...Part) error {
	question := Question(args, parts...)
	if !call.Asks().Has(toolkit.InputForm) {
		return toolkit.Refuse(code.CannotConfirm, "a person has to agree to this call, and none can be asked: call the tool by itself, from a client that declares the capability "+
			capability, toolkit.Field{Name: "question", Value: question}, toolkit.Field{Name: "needs", Value: capability})
	}
	shown := question
	if strings.Contains(question, `"`) {
		shown += origin
	}
	answers, err := call.Ask(ctx, toolkit.Input{Key: key, Question: &toolkit.Question{Message: shown, Schema: json.RawMessage(schema)}})
	if err != nil {
		return err
	}
	reply := answers[key].Reply
	if reply != nil && reply.Action == toolkit.Accept {
		return nil
	}
	action := toolkit.Cancel
	if reply != nil && reply.Action == toolkit.Decline {
		action = toolkit.Decline
	}
	return toolkit.Refuse(code.NotConfirmed, "the person did not agree to this call, and nothing was done; do not call it again unless the person asks for it",
		toolkit.Field{Name: "question", Value: question}, toolkit.Field{Name: "action", Value: action})
}

// Question is the text of the question about a call with the arguments.
func Question(args []byte, parts ...Part) string {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(args, &values) // the decoder has taken them; empty is none
	var b strings.Builder
	for _, p := range parts {
		if p.Name == "" {
			b.WriteString(p.Text)
			continue
		}
		raw, given := values[p.Name]
		if !given {
			raw = json.RawMessage(p.Default)
		}
		b.WriteString(show(raw, true))
	}
	return b.String()
}

// show is a value for a person. An object, and a list in a list, is its JSON.
func show(raw json.RawMessage, lists bool) string {
	var value any
	if json.Unmarshal(raw, &value) != nil || value == nil {
		return "(none)"
	}
	switch v := value.(type) {
	case string:
		return quote(v)
	case float64, bool:
		return clip(strings.TrimSpace(string(raw)))
	case []any:
		var items []json.RawMessage
		if !lists || json.Unmarshal(raw, &items) != nil {
			break
		}
		var shown []string
		for i, item := range items {
			if i == maxItems {
				shown = append(shown, strconv.Itoa(len(items)-maxItems)+" more")
				break
			}
			shown = append(shown, show(item, false))
		}
		if shown == nil {
			return "(none)"
		}
		return strings.Join(shown, ", ")
	}
	return quote(string(raw))
}

// quote puts a text in quotation marks. Line breaks, quotation marks and characters that show nothing are escaped.
func quote(text string) string {
	all := []rune(text)
	if len(all) <= maxValue {
		return strconv.Quote(text)
	}
	return strconv.Quote(string(all[:maxValue])) + " … (" + strconv.Itoa(len(all)) + " characters)"
}

// clip bounds a number.
func clip(text string) string { return text[:min(len(text), maxValue)] }
