package content

import (
	"context"
	"encoding/json"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/conformance/generated/toolset/contentapi"
	"github.com/callsheet/callsheet/examples/conformance/internal/samples"
)

// StaticTextResource handles the resource static_text.
func (Tools) StaticTextResource(context.Context, *toolkit.Call) (toolkit.Contents, error) {
	return toolkit.Contents{Text: "This is the content of the static text resource."}, nil
}

// StaticBinaryResource handles the resource static_binary.
func (Tools) StaticBinaryResource(context.Context, *toolkit.Call) (toolkit.Contents, error) {
	return toolkit.Contents{Data: samples.PNG}, nil
}

// TemplateResource handles the resources of the template.
func (Tools) TemplateResource(_ context.Context, _ *toolkit.Call, in contentapi.TemplateVariables) (toolkit.Contents, error) {
	text, err := json.Marshal(struct {
		ID   string `json:"id"`
		Test bool   `json:"templateTest"`
		Data string `json:"data"`
	}{in.ID, true, "Data for ID: " + in.ID})
	return toolkit.Contents{Text: string(text)}, err
}

// WatchedResourceResource handles the resource watched_resource.
func (Tools) WatchedResourceResource(context.Context, *toolkit.Call) (toolkit.Contents, error) {
	return toolkit.Contents{Text: "Watched content."}, nil
}
