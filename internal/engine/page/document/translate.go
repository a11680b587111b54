package document

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Translate turns an engine error about ref into a typed error of this package. Other errors pass
// through.
func (d *Document) Translate(ctx context.Context, ref string, err error) error {
	if r, ok := errors.AsType[*EngineError](err); ok {
		return d.translateEngineError(ctx, ref, r)
	}
	if errors.Is(err, ErrReplaced) && ref != "" {
		return d.replacedDocumentError(ctx, ref)
	}
	return err
}

func (d *Document) translateEngineError(ctx context.Context, ref string, r *EngineError) error {
	var detail struct {
		Reason     string    `json:"reason"`
		Remedy     Remedy    `json:"remedy"`
		Ref        string    `json:"ref"` // of the element that takes the value instead; "" for none
		Example    string    `json:"example"`
		Candidates []Element `json:"candidates"`
		Covering   *Element  `json:"covering"`
		Rest       bool      `json:"rest"`
		Cause      Cause     `json:"cause"`
		Value      string    `json:"value"`
		Options    []string  `json:"options"`
		Total      int       `json:"total"`
		Selector   string    `json:"selector"`
	}
	if err := json.Unmarshal(r.Data, &detail); err != nil {
		return fmt.Errorf("reading a refusal of the page engine: %w", err)
	}
	switch r.Kind {
	case "emptyDocument":
		return &EmptyDocumentError{}
	case "otherDocument":
		return d.replacedDocumentError(ctx, ref)
	case "stale":
		was := d.Refs.Entry(ref)
		return &StaleRefError{Ref: ref, Role: was.Role, Name: was.Name, Reason: detail.Reason, Candidates: detail.Candidates}
	case "notActionable":
		return &NotActionableError{Ref: ref, Reason: detail.Reason, Cause: detail.Cause, Covering: detail.Covering, AtRest: detail.Rest}
	case "outsideViewport":
		outside := &OutsideViewportError{}
		_ = json.Unmarshal(r.Data, outside) // an object, as for detail
		return outside
	case "notEditable":
		return &NotEditableError{Ref: ref, Reason: detail.Reason, Remedy: detail.Remedy}
	case "valueRefused":
		return &ValueRefusedError{Ref: cmp.Or(detail.Ref, ref), Reason: detail.Reason, Example: detail.Example, Remedy: detail.Remedy}
	case "noOption":
		return &OptionNotFoundError{Ref: ref, Value: detail.Value, Options: detail.Options, Total: detail.Total}
	case "ambiguousOption":
		return &AmbiguousOptionError{Ref: ref, Value: detail.Value, Options: detail.Options}
	case "badSelector":
		return &BadSelectorError{Reason: detail.Reason}
	case "noCell":
		return &NoCellError{Ref: ref, Reason: detail.Reason}
	case "noElement":
		return &NoElementError{Selector: detail.Selector}
	}
	return newScriptError(detail.Reason)
}

// replacedDocumentError returns the error for a ref of a document that was replaced.
func (d *Document) replacedDocumentError(ctx context.Context, ref string) error {
	stale := &StaleRefError{Ref: ref, Reason: "the document it belonged to was replaced"}
	was := d.Refs.Entry(ref)
	if was == (RefEntry{}) {
		return stale
	}
	stale.Role, stale.Name = was.Role, was.Name
	// Candidates are optional: without them the error is still right.
	argument := map[string]any{"role": was.Role, "name": was.Name}
	_ = d.EvaluateAll(ctx, "similarElements", argument, func(_ *World, result json.RawMessage) error {
		var similar struct {
			Candidates []Element `json:"candidates"`
		}
		err := json.Unmarshal(result, &similar)
		room := 3 - len(stale.Candidates)
		stale.Candidates = append(stale.Candidates, similar.Candidates[:min(len(similar.Candidates), room)]...)
		return err
	})
	return stale
}
