package ask

import (
	"context"
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/form"

	"github.com/callsheet/callsheet/examples/conformance/generated/toolset/askapi"
)

// TestInputRequiredResultElicitation handles test_input_required_result_elicitation.
func (Tools) TestInputRequiredResultElicitation(ctx context.Context, call *toolkit.Call, _ askapi.TestInputRequiredResultElicitationParams) (toolkit.Result, error) {
	answers, err := call.Ask(ctx, question("user_name", "What is your name?", text("name", "")))
	if err != nil {
		return toolkit.Result{}, err
	}
	var person struct{ Name string }
	if accepted, err := answers.Decode("user_name", &person); err != nil || !accepted {
		return toolkit.Text("Hello, whoever you are!"), err
	}
	return toolkit.Textf("Hello, %s!", person.Name), nil
}

// TestInputRequiredResultSampling handles test_input_required_result_sampling.
func (Tools) TestInputRequiredResultSampling(ctx context.Context, call *toolkit.Call, _ askapi.TestInputRequiredResultSamplingParams) (toolkit.Result, error) {
	answers, err := call.Ask(ctx, sampling("capital_question", "What is the capital of France?", 100))
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(answers["capital_question"].Text), nil
}

// TestInputRequiredResultListRoots handles test_input_required_result_list_roots.
func (Tools) TestInputRequiredResultListRoots(ctx context.Context, call *toolkit.Call, _ askapi.TestInputRequiredResultListRootsParams) (toolkit.Result, error) {
	answers, err := call.Ask(ctx, toolkit.Input{Key: "client_roots", Roots: true})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("The client's directories: %s", uris(answers["client_roots"].Roots)), nil
}

// TestInputRequiredResultRequestState handles test_input_required_result_request_state. Ask seals the
// state and checks it.
func (Tools) TestInputRequiredResultRequestState(ctx context.Context, call *toolkit.Call, _ askapi.TestInputRequiredResultRequestStateParams) (toolkit.Result, error) {
	return confirm(ctx, call)
}

// TestInputRequiredResultTamperedState handles test_input_required_result_tampered_state.
func (Tools) TestInputRequiredResultTamperedState(ctx context.Context, call *toolkit.Call, _ askapi.TestInputRequiredResultTamperedStateParams) (toolkit.Result, error) {
	return confirm(ctx, call)
}

func confirm(ctx context.Context, call *toolkit.Call) (toolkit.Result, error) {
	answers, err := call.Ask(ctx, question("confirm", "Please confirm", form.Switch{Label: form.Label{Name: "ok", Required: true}}))
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("state-ok, confirmed: %v", answers.Accepted("confirm")["ok"]), nil
}

// TestInputRequiredResultMultipleInputs handles test_input_required_result_multiple_inputs.
func (Tools) TestInputRequiredResultMultipleInputs(ctx context.Context, call *toolkit.Call, _ askapi.TestInputRequiredResultMultipleInputsParams) (toolkit.Result, error) {
	answers, err := call.Ask(ctx,
		question("user_name", "What is your name?", text("name", "")),
		sampling("greeting", "Generate a greeting", 50),
		toolkit.Input{Key: "client_roots", Roots: true},
	)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("%s %v (%s)", answers["greeting"].Text, answers.Accepted("user_name")["name"], uris(answers["client_roots"].Roots)), nil
}

// TestInputRequiredResultMultiRound handles test_input_required_result_multi_round. The second question
// follows from the first answer.
func (Tools) TestInputRequiredResultMultiRound(ctx context.Context, call *toolkit.Call, _ askapi.TestInputRequiredResultMultiRoundParams) (toolkit.Result, error) {
	first, err := call.Ask(ctx, question("step1", "Step 1: What is your name?", text("name", "")))
	if err != nil {
		return toolkit.Result{}, err
	}
	second, err := call.Ask(ctx, question("step2", "Step 2: What is your favorite color?", text("color", "")))
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("%v likes %v.", first.Accepted("step1")["name"], second.Accepted("step2")["color"]), nil
}

// TestInputRequiredResultCapabilities handles test_input_required_result_capabilities.
func (Tools) TestInputRequiredResultCapabilities(ctx context.Context, call *toolkit.Call, _ askapi.TestInputRequiredResultCapabilitiesParams) (toolkit.Result, error) {
	var inputs []toolkit.Input
	if call.Asks().Has(toolkit.InputForm) {
		inputs = append(inputs, question("user_name", "What is your name?", text("name", "")))
	}
	if call.Asks().Has(toolkit.InputSampling) {
		inputs = append(inputs, sampling("greeting", "Generate a greeting", 50))
	}
	answers, err := call.Ask(ctx, inputs...)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("The client answered %d questions.", len(answers)), nil
}

// TestInputRequiredResultPromptPrompt handles the prompt test_input_required_result_prompt.
func (Tools) TestInputRequiredResultPromptPrompt(ctx context.Context, call *toolkit.Call) (toolkit.PromptResult, error) {
	answers, err := call.Ask(ctx, question("user_context", "What context should the prompt use?", text("context", "")))
	if err != nil {
		return toolkit.PromptResult{}, err
	}
	message := toolkit.UserMessage(fmt.Sprintf("Use this context: %v", answers.Accepted("user_context")["context"]))
	return toolkit.PromptResult{Messages: []toolkit.Message{message}}, nil
}
