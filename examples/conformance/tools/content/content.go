// Package content handles the tools, prompts and resources of manifest/tools/content.yaml: each kind of
// content that a result can have.
package content

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/conformance/generated/toolset/contentapi"
	"github.com/callsheet/callsheet/examples/conformance/internal/samples"
)

// Tools implements contentapi.Handlers.
type Tools struct{}

// TestSimpleText handles test_simple_text.
func (Tools) TestSimpleText(context.Context, *toolkit.Call, contentapi.TestSimpleTextParams) (toolkit.Result, error) {
	return toolkit.Text("This is a simple text response for testing."), nil
}

// TestImageContent handles test_image_content.
func (Tools) TestImageContent(context.Context, *toolkit.Call, contentapi.TestImageContentParams) (toolkit.Result, error) {
	return toolkit.Image("", samples.PNG, "image/png"), nil
}

// TestAudioContent handles test_audio_content.
func (Tools) TestAudioContent(context.Context, *toolkit.Call, contentapi.TestAudioContentParams) (toolkit.Result, error) {
	return toolkit.Result{Content: []toolkit.Content{{Data: samples.WAV, MIME: "audio/wav"}}}, nil
}

// TestEmbeddedResource handles test_embedded_resource.
func (Tools) TestEmbeddedResource(context.Context, *toolkit.Call, contentapi.TestEmbeddedResourceParams) (toolkit.Result, error) {
	return toolkit.Result{Content: []toolkit.Content{
		{URI: "test://embedded-resource", MIME: "text/plain", Text: "This is an embedded resource content."},
	}}, nil
}

// TestMultipleContentTypes handles test_multiple_content_types.
func (Tools) TestMultipleContentTypes(context.Context, *toolkit.Call, contentapi.TestMultipleContentTypesParams) (toolkit.Result, error) {
	res := toolkit.Image("Multiple content types test:", samples.PNG, "image/png")
	res.Content = append(res.Content, toolkit.Content{
		URI: "test://mixed-content-resource", MIME: "application/json", Text: `{"test":"data","value":123}`,
	})
	return res, nil
}

// TestErrorHandling handles test_error_handling.
func (Tools) TestErrorHandling(context.Context, *toolkit.Call, contentapi.TestErrorHandlingParams) (toolkit.Result, error) {
	return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, "This tool intentionally returns an error for testing")
}
