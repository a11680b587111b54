// Package overlay applies OpenAPI overlays to documents.
//
// It is apart from package openapi because it links the whole library, which programs without overlays do not need. It
// must not know what is read from a document.
package overlay

import (
	"fmt"

	"github.com/pb33f/libopenapi"
)

// Apply returns a document as YAML after an overlay has changed it, and a warning for each action that changed nothing.
func Apply(document, overlay []byte) (changed []byte, warnings []string, err error) {
	result, err := libopenapi.ApplyOverlayFromBytesToSpecBytes(document, overlay)
	if err != nil {
		return nil, nil, fmt.Errorf("apply the overlay: %w", err)
	}
	for _, w := range result.Warnings {
		warnings = append(warnings, fmt.Sprintf("%s: %s", w.Target, w.Message))
	}
	return result.Bytes, warnings, nil
}
