package content

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/conformance/generated/toolset/contentapi"
	"github.com/callsheet/callsheet/examples/conformance/internal/samples"
)

// messages are messages of the user.
func messages(content ...toolkit.Content) (toolkit.PromptResult, error) {
	var out toolkit.PromptResult
	for _, c := range content {
		out.Messages = append(out.Messages, toolkit.Message{Role: toolkit.RoleUser, Content: c})
	}
	return out, nil
}

// TestSimplePromptPrompt handles the prompt test_simple_prompt.
func (Tools) TestSimplePromptPrompt(context.Context, *toolkit.Call) (toolkit.PromptResult, error) {
	return messages(toolkit.Content{Text: "This is a simple prompt for testing."})
}

// TestPromptWithArgumentsPrompt handles the prompt test_prompt_with_arguments.
func (Tools) TestPromptWithArgumentsPrompt(_ context.Context, _ *toolkit.Call, in contentapi.TestPromptWithArgumentsArguments) (toolkit.PromptResult, error) {
	return messages(toolkit.Content{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", in.Arg1, in.Arg2)})
}

// CompleteTestPromptWithArgumentsArg1 completes the first argument of test_prompt_with_arguments.
func (Tools) CompleteTestPromptWithArgumentsArg1(_ context.Context, _ *toolkit.Call, in toolkit.Completion) (values []string, err error) {
	for _, word := range []string{"paris", "park", "party"} {
		if strings.HasPrefix(word, in.Value) {
			values = append(values, word)
		}
	}
	return values, nil
}

// TestPromptWithEmbeddedResourcePrompt handles the prompt test_prompt_with_embedded_resource.
func (Tools) TestPromptWithEmbeddedResourcePrompt(_ context.Context, _ *toolkit.Call, in contentapi.TestPromptWithEmbeddedResourceArguments) (toolkit.PromptResult, error) {
	return messages(
		toolkit.Content{URI: in.ResourceUri, MIME: "text/plain", Text: "Embedded resource content for testing."},
		toolkit.Content{Text: "Please process the embedded resource above."},
	)
}

// TestPromptWithImagePrompt handles the prompt test_prompt_with_image.
func (Tools) TestPromptWithImagePrompt(context.Context, *toolkit.Call) (toolkit.PromptResult, error) {
	return messages(toolkit.Content{Data: samples.PNG, MIME: "image/png"}, toolkit.Content{Text: "Please analyze the image above."})
}
