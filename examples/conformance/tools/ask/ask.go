// Package ask handles the tools of manifest/tools/ask.yaml, which ask the client while they run. A handler
// is the same for each revision of the protocol: in sessions Ask waits for the answer, and stateless
// clients repeat the call with it.
package ask

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/form"

	"github.com/callsheet/callsheet/examples/conformance/generated/toolset/askapi"
)

// Tools implements askapi.Handlers.
type Tools struct{}

// question asks a person under a key.
func question(key, message string, fields ...form.Field) toolkit.Input {
	return toolkit.Input{Key: key, Question: &toolkit.Question{Message: message, Schema: form.Schema(fields...)}}
}

// text is a required line of text.
func text(name, description string) form.Field {
	return form.Text{Label: form.Label{Name: name, Description: description, Required: true}}
}

// sampling asks the model of the client under a key.
func sampling(key, prompt string, maxTokens int) toolkit.Input {
	return toolkit.Input{Key: key, Sampling: &toolkit.Sampling{Prompt: prompt, MaxTokens: maxTokens}}
}

// TestElicitation handles test_elicitation.
func (Tools) TestElicitation(ctx context.Context, call *toolkit.Call, in askapi.TestElicitationParams) (toolkit.Result, error) {
	return askPerson(ctx, call, "User response", question("user", in.Message, text("username", "User's response"), text("email", "User's email address")))
}

// TestElicitationSep1034Defaults handles test_elicitation_sep1034_defaults.
func (Tools) TestElicitationSep1034Defaults(ctx context.Context, call *toolkit.Call, _ askapi.TestElicitationSep1034DefaultsParams) (toolkit.Result, error) {
	return askPerson(ctx, call, "Elicitation completed", question("profile", "Please check the values",
		form.Text{Label: form.Label{Name: "name"}, Default: toolkit.Some("John Doe")},
		form.Integer{Label: form.Label{Name: "age"}, Default: toolkit.Some(30)},
		form.Number{Label: form.Label{Name: "score"}, Default: toolkit.Some(95.5)},
		form.Choice{Label: form.Label{Name: "status"}, Options: form.Values("active", "inactive", "pending"), Default: toolkit.Some("active")},
		form.Switch{Label: form.Label{Name: "verified"}, Default: toolkit.Some(true)},
	))
}

// TestElicitationSep1330Enums handles test_elicitation_sep1330_enums.
func (Tools) TestElicitationSep1330Enums(ctx context.Context, call *toolkit.Call, _ askapi.TestElicitationSep1330EnumsParams) (toolkit.Result, error) {
	plain := form.Values("option1", "option2", "option3")
	return askPerson(ctx, call, "Elicitation completed", question("choices", "Please choose",
		form.Choice{Label: form.Label{Name: "untitledSingle"}, Options: plain},
		form.Choice{Label: form.Label{Name: "titledSingle"}, Options: []form.Option{{Value: "value1", Title: "First Option"}, {Value: "value2", Title: "Second Option"}, {Value: "value3", Title: "Third Option"}}},
		form.Choice{Label: form.Label{Name: "legacyEnum"}, Options: []form.Option{{Value: "opt1", Title: "Option One"}, {Value: "opt2", Title: "Option Two"}, {Value: "opt3", Title: "Option Three"}}, EnumNames: true},
		form.Choices{Label: form.Label{Name: "untitledMulti"}, Options: plain},
		form.Choices{Label: form.Label{Name: "titledMulti"}, Options: []form.Option{{Value: "value1", Title: "First Choice"}, {Value: "value2", Title: "Second Choice"}, {Value: "value3", Title: "Third Choice"}}},
	))
}

// TestElicitationURL handles test_elicitation_url.
func (Tools) TestElicitationURL(ctx context.Context, call *toolkit.Call, _ askapi.TestElicitationURLParams) (toolkit.Result, error) {
	const id = "sign-in"
	res, err := askPerson(ctx, call, "Elicitation completed", toolkit.Input{Key: "page", Question: &toolkit.Question{
		Message: "Please sign in", URL: "https://example.com/sign-in", ID: id,
	}})
	if err != nil {
		return res, err
	}
	return res, call.Completed(ctx, id)
}

// TestStreamingElicitation handles test_streaming_elicitation.
func (Tools) TestStreamingElicitation(ctx context.Context, call *toolkit.Call, _ askapi.TestStreamingElicitationParams) (toolkit.Result, error) {
	call.Progress(0, 1, "asking")
	return askPerson(ctx, call, "Elicitation completed", question("name", "What is your name?", text("name", "")))
}

// TestSampling handles test_sampling.
func (Tools) TestSampling(ctx context.Context, call *toolkit.Call, in askapi.TestSamplingParams) (toolkit.Result, error) {
	answers, err := call.Ask(ctx, sampling("text", in.Prompt, 100))
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("LLM response: %s", answers["text"].Text), nil
}

// TestMissingCapability handles test_missing_capability.
func (Tools) TestMissingCapability(ctx context.Context, call *toolkit.Call, _ askapi.TestMissingCapabilityParams) (toolkit.Result, error) {
	answers, err := call.Ask(ctx, sampling("text", "Say something.", 10))
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(answers["text"].Text), nil
}

// askPerson asks one question and shows what the person did with it.
func askPerson(ctx context.Context, call *toolkit.Call, label string, in toolkit.Input) (toolkit.Result, error) {
	answers, err := call.Ask(ctx, in)
	if err != nil {
		return toolkit.Result{}, err
	}
	reply := answers[in.Key].Reply
	content, err := json.Marshal(reply.Values)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("%s: action=%s, content=%s", label, reply.Action, content), nil
}

// uris lists the addresses of directories.
func uris(roots []toolkit.Root) string {
	out := make([]string, len(roots))
	for i, r := range roots {
		out[i] = r.URI
	}
	return strings.Join(out, ", ")
}
