package document

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/script"
)

// The functions that the engine's entry has for custom elements with internals.
const (
	unknownTagsFunction  = "function(){return this.unknownTags()}\n//# sourceURL=callsheet:internals\n"
	judgeTagsFunction    = "function(t){return this.judgeTags(t)}\n//# sourceURL=callsheet:internals\n"
	internalsOfFunction  = "function(){return this.elementsWithInternals()}\n//# sourceURL=callsheet:internals\n"
	setInternalsFunction = "function(v,...e){this.setInternals(v,e)}\n//# sourceURL=callsheet:internals\n"
)

// markInternals tells the engine of a world the roles, names and states that custom elements have given
// themselves, as the accessibility tree has them. It reports whether there is any.
func (w *World) markInternals(ctx context.Context) (bool, error) {
	if err := w.judgeTags(ctx); err != nil {
		return false, err
	}
	elements, err := w.objectsOf(ctx, internalsOfFunction)
	defer w.ReleaseObjects(ctx)
	w.internals = len(elements) > 0
	if err != nil || !w.internals {
		return false, err
	}
	values, arguments := make([]map[string]string, len(elements)), []*runtime.CallArgument{nil}
	var wg sync.WaitGroup
	for i, element := range elements {
		arguments = append(arguments, &runtime.CallArgument{ObjectID: element})
		wg.Go(func() { values[i] = w.internalsOf(ctx, element) })
	}
	wg.Wait()
	raw, err := json.Marshal(values)
	if err != nil {
		return false, fmt.Errorf("marking element internals: %w", err)
	}
	arguments[0] = &runtime.CallArgument{Value: raw}
	_, err = cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: setInternalsFunction, ObjectID: w.Entry, Arguments: arguments,
	})
	if err != nil {
		return false, fmt.Errorf("marking element internals: %w", w.CallError(err))
	}
	return true, nil
}

// RefreshInternals tells the engine again what the custom elements of a world say of themselves, as an action may have
// changed it. It reports whether there is any such element.
func (w *World) RefreshInternals(ctx context.Context) bool {
	if w == nil || !w.internals {
		return false
	}
	found, err := w.markInternals(ctx)
	return found && err == nil
}

// judgeTags asks the page's own world which of the custom elements that a walk has met attach internals. The
// page can forge the answer: at worst an element is asked for in vain.
func (w *World) judgeTags(ctx context.Context) error {
	yes := true
	call := func(function string, arguments ...*runtime.CallArgument) ([]byte, error) {
		got, err := cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: function, ObjectID: w.Entry, Arguments: arguments, ReturnByValue: &yes,
		})
		if err != nil {
			return nil, fmt.Errorf("looking for element internals: %w", w.CallError(err))
		}
		return got.Result.Value, nil
	}
	raw, err := call(unknownTagsFunction)
	var tags []string
	if err != nil || json.Unmarshal(raw, &tags) != nil || len(tags) == 0 {
		return err
	}
	got, err := cdp.Call(ctx, w.Session, runtime.Evaluate, runtime.EvaluateParams{
		Expression:    script.Internals + "(" + string(raw) + ")\n//# sourceURL=callsheet:internals\n",
		ReturnByValue: &yes, Silent: &yes, Timeout: delegatedTimeout,
	})
	if err != nil {
		return fmt.Errorf("looking for element internals: %w", w.CallError(err))
	}
	var text string
	var places []int
	if got.ExceptionDetails == nil && json.Unmarshal(got.Result.Value, &text) == nil {
		_ = json.Unmarshal([]byte(text), &places)
	}
	attaching := []string{}
	for _, place := range places {
		if place >= 0 && place < len(tags) {
			attaching = append(attaching, tags[place])
		}
	}
	list, err := json.Marshal(attaching)
	if err != nil {
		return fmt.Errorf("looking for element internals: %w", err)
	}
	_, err = call(judgeTagsFunction, &runtime.CallArgument{Value: list})
	return err
}

// objectsOf returns the elements of the list that a function of the engine returns.
func (w *World) objectsOf(ctx context.Context, function string) ([]runtime.RemoteObjectID, error) {
	list, err := cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: function, ObjectID: w.Entry, ObjectGroup: ObjectGroup,
	})
	if err != nil {
		return nil, fmt.Errorf("listing elements: %w", w.CallError(err))
	}
	yes := true
	props, err := cdp.Call(ctx, w.Session, runtime.GetProperties, runtime.GetPropertiesParams{
		ObjectID: list.Result.ObjectID, OwnProperties: &yes,
	})
	if err != nil {
		return nil, fmt.Errorf("listing elements: %w", w.CallError(err))
	}
	var objects []runtime.RemoteObjectID
	for _, prop := range props.Result {
		if _, err := strconv.Atoi(prop.Name); err == nil && prop.Value != nil && prop.Value.ObjectID != "" {
			objects = append(objects, prop.Value.ObjectID)
		}
	}
	return objects, nil
}

// attributeOf are the attributes in whose place the properties of a node of the accessibility tree are read.
var attributeOf = map[accessibility.PropertyName]string{
	"checked": "aria-checked", "pressed": "aria-pressed", "expanded": "aria-expanded", "selected": "aria-selected",
	"disabled": "aria-disabled", "required": "aria-required", "readonly": "aria-readonly", "invalid": "aria-invalid",
	"level": "aria-level", "valuemin": "aria-valuemin", "valuemax": "aria-valuemax", "valuetext": "aria-valuetext",
	"hasPopup": "aria-haspopup", "multiselectable": "aria-multiselectable",
}

// internalsOf returns the role, the name and the states of an element, by attribute; none where it has no role.
func (w *World) internalsOf(ctx context.Context, element runtime.RemoteObjectID) map[string]string {
	no, out := false, map[string]string{}
	tree, err := cdp.Call(ctx, w.Session, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{
		ObjectID: element, FetchRelatives: &no,
	})
	if err != nil || len(tree.Nodes) == 0 || tree.Nodes[0].Ignored {
		return out
	}
	set := func(attribute string, value *accessibility.Value) {
		if value == nil || len(value.Value) == 0 {
			return
		}
		text := string(value.Value)
		if json.Unmarshal(value.Value, &text) != nil {
			text = string(value.Value) // a number or a truth value
		}
		if text != "" {
			out[attribute] = text
		}
	}
	node := tree.Nodes[0]
	set("role", node.Role)
	if out["role"] == "generic" || out["role"] == "none" {
		return map[string]string{}
	}
	set("aria-label", node.Name)
	set("aria-valuenow", node.Value)
	for _, property := range node.Properties {
		if attribute, ok := attributeOf[property.Name]; ok {
			set(attribute, property.Value)
		}
	}
	return out
}
