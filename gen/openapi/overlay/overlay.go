// Package overlay applies OpenAPI overlays to documents.
//
// It is apart from package openapi because of what it links, which programs without overlays do not need. It must not
// know what is read from a document.
package overlay

import (
	"context"
	"fmt"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel/high/overlay"
	"github.com/pb33f/libopenapi/datamodel/low"
	lowoverlay "github.com/pb33f/libopenapi/datamodel/low/overlay"
	engine "github.com/pb33f/libopenapi/overlay"
)

// Apply returns a document as YAML after an overlay has changed it, and a warning for each action that changed nothing.
func Apply(document, source []byte) (changed []byte, warnings []string, err error) {
	actions, err := parse(source)
	if err != nil {
		return nil, nil, fmt.Errorf("read the overlay: %w", err)
	}
	result, err := engine.Apply(document, actions)
	if err != nil {
		return nil, nil, fmt.Errorf("apply the overlay: %w", err)
	}
	for _, w := range result.Warnings {
		warnings = append(warnings, fmt.Sprintf("%s: %s", w.Target, w.Message))
	}
	return result.Bytes, warnings, nil
}

// parse reads an overlay, in JSON or YAML. The library's own function for it links the models of whole documents, which
// take twenty seconds to compile.
func parse(source []byte) (*overlay.Overlay, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(source, &root); err != nil {
		return nil, err
	}
	if len(root.Content) == 0 {
		return nil, engine.ErrInvalidOverlay
	}
	var read lowoverlay.Overlay
	if err := low.BuildModel(root.Content[0], &read); err != nil {
		return nil, err
	}
	if err := read.Build(context.Background(), nil, root.Content[0], nil); err != nil {
		return nil, err
	}
	return overlay.NewOverlay(&read), nil
}
