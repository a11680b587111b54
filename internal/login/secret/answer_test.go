package secret_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/internal/login/secret"
)

const everyKind = toolkit.InputForm | toolkit.InputURL | toolkit.InputSampling | toolkit.InputRoots

// askingWith is a session with a tool that asks for inputs behind the layer, and what it has got.
func askingWith(t *testing.T, got *string, inputs ...toolkit.Input) *toolkit.Session {
	t.Helper()
	filler := secret.NewFiller(vault(t, map[string]string{"PW": pass, "PIN": "48151623"}), nil, false)
	reg := &toolkit.Registry{Scopes: []string{"s"}, Tools: []toolkit.Tool{{
		Name: "ask", Scopes: []string{"s"}, Tier: 1, Timeout: time.Minute, Asks: everyKind,
		Invoke: func(ctx context.Context, call *toolkit.Call, _ grant.Grant, _ []byte) (toolkit.CallResult, error) {
			answers, err := call.Ask(ctx, inputs...)
			if err == nil {
				text, _ := json.Marshal(answers)
				*got = string(text)
			}
			return toolkit.Unstructured(toolkit.Text("asked"), err)
		},
	}}}
	surface, err := toolkit.NewSurface(reg.Index(), toolkit.Options{}, filler.Middleware)
	if err != nil {
		t.Fatal(err)
	}
	return surface.NewSession("s", nil)
}

// leak fails where a text has a value of a secret.
func leak(t *testing.T, what string, value any) {
	t.Helper()
	text := fmt.Sprintf("%+v", value)
	if data, err := json.Marshal(value); err == nil {
		text += string(data)
	}
	inJSON, _ := json.Marshal(pass)
	for _, s := range []string{pass, strings.Trim(string(inJSON), `"`), "48151623"} {
		if strings.Contains(text, s) {
			t.Errorf("%s has the value of a secret: %s", what, text)
		}
	}
}

func secretQuestions() []toolkit.Input {
	schema, _ := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string", "default": pass}}})
	return []toolkit.Input{
		{Key: "form", Question: &toolkit.Question{Message: "Is it " + pass + "?", Schema: schema}},
		{Key: "page", Question: &toolkit.Question{Message: "Open", URL: "https://example.com/?pin=48151623"}},
		{Key: "text", Sampling: &toolkit.Sampling{System: pass, Prompt: pass, Messages: []toolkit.Message{toolkit.UserMessage(pass)}, StopSequences: []string{pass}}},
		{Key: "dirs", Roots: true},
	}
}

// typed are answers of a person and a model who repeat secrets.
func typed() toolkit.Answers {
	return toolkit.Answers{
		"form": {Reply: &toolkit.Reply{Action: toolkit.Accept, Values: map[string]any{"x": "it is " + pass, "n": 48151623.0, "ok": true}}},
		"page": {Reply: &toolkit.Reply{Action: toolkit.Accept}},
		"text": {Text: pass, Sampled: &toolkit.Sampled{Role: toolkit.RoleAssistant, Content: []toolkit.Content{{Text: pass}}}},
		"dirs": {Roots: []toolkit.Root{{URI: "file:///48151623", Name: pass}}},
	}
}

func TestQuestionsAndAnswersHaveNoSecrets(t *testing.T) {
	t.Parallel()
	const want = `"x":"it is [secret:PW]"`
	var got string
	res, err := askingWith(t, &got, secretQuestions()...).Dispatch(t.Context(), toolkit.Request{Tool: "ask", Interaction: toolkit.Interaction{
		Kinds: everyKind,
		Ask: func(_ context.Context, in toolkit.Input) (toolkit.InputAnswer, error) {
			leak(t, "the question", in)
			return typed()[in.Key], nil
		},
	}})
	if err != nil || res.Refused || !strings.Contains(got, want) || !strings.Contains(got, `"ok":true`) {
		t.Errorf("in a session: %+v, %v, the handler got %s", res, err, got)
	}
	leak(t, "the answer", got)

	got = ""
	stateless := toolkit.Interaction{
		Kinds: everyKind,
		Check: func(in toolkit.Input, answer toolkit.InputAnswer) error {
			leak(t, "the checked question", in)
			leak(t, "the checked answer", answer)
			return nil
		},
		Seal: func(a toolkit.Answers) (string, error) { leak(t, "the state", a); return "state", nil },
		Open: func(string) (toolkit.Answers, error) { return nil, nil },
	}
	res, err = askingWith(t, &got, secretQuestions()...).Dispatch(t.Context(), toolkit.Request{Tool: "ask", Interaction: stateless})
	if err != nil || res.Ask == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, in := range res.Ask.Inputs {
		leak(t, "the question", in)
	}
	_, err = askingWith(t, &got, secretQuestions()...).Dispatch(t.Context(), toolkit.Request{Tool: "ask", Interaction: stateless, Inputs: toolkit.Inputs{State: "state", Answers: typed()}})
	if err != nil || !strings.Contains(got, want) {
		t.Errorf("a repeated call: %v, the handler got %s", err, got)
	}
	leak(t, "the repeated answer", got)
}

// A client could pass the name of a secret by an answer into an argument that takes none.
func TestAnswersNameNoSecrets(t *testing.T) {
	t.Parallel()
	form := secretQuestions()[0]
	for _, values := range []map[string]any{{"x": "{secret:PW}"}, {"x": []any{"a {totp:example.com}"}}, {"{secret:PW}": true}} {
		answer := toolkit.InputAnswer{Reply: &toolkit.Reply{Action: toolkit.Accept, Values: values}}
		for era, req := range map[string]toolkit.Request{
			"session": {Interaction: toolkit.Interaction{Kinds: everyKind, Ask: func(context.Context, toolkit.Input) (toolkit.InputAnswer, error) { return answer, nil }}},
			"stateless": {Inputs: toolkit.Inputs{Answers: toolkit.Answers{"form": answer}}, Interaction: toolkit.Interaction{
				Kinds: everyKind, Check: func(toolkit.Input, toolkit.InputAnswer) error { return nil }, Seal: func(toolkit.Answers) (string, error) { return "", nil },
			}},
		} {
			var got string
			req.Tool = "ask"
			res, err := askingWith(t, &got, form).Dispatch(t.Context(), req)
			if err != nil || res.RefusalCode() != toolkit.PolicyDenied || got != "" || !strings.Contains(res.Content[0].Text, `"form"`) {
				t.Errorf("%s, %v: %+v, %v, the handler got %q", era, values, res, err, got)
			}
		}
	}
}
