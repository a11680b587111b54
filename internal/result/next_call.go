package result

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/gen/spelling"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// nextCall returns the call that may help after an action was refused: the tool and its arguments as JSON;
// "" if the error names it already.
func nextCall(err error) (tool, arguments string) {
	for ; err != nil && tool == ""; err = errors.Unwrap(err) {
		tool, arguments = callAfter(err)
	}
	return tool, arguments
}

// callAfter is nextCall for one error of a chain.
func callAfter(err error) (tool, arguments string) {
	switch e := err.(type) { //nolint:errorlint // nextCall goes through the chain
	case *document.OutsideViewportError:
		return toolset.ToolComputer, fmt.Sprintf(`{"action":"scroll","scroll_direction":%q}`, e.Direction())
	case *document.NotActionableError:
		if e.Cause == document.CauseMoving {
			return "", "" // the reason says what to add to the call
		}
		if e.Covering != nil && e.Covering.Ref != "" {
			return toolset.ToolReadPage, fmt.Sprintf(`{"ref_id":%s}`, quoted(e.Covering.Ref))
		}
		return toolset.ToolReadPage, "{}"
	case *document.NotEditableError:
		return remedyCall(e.Ref, e.Remedy)
	case *document.ValueRefusedError:
		if e.Example != "" {
			return setCall(e.Ref, e.Example)
		}
		return remedyCall(e.Ref, e.Remedy)
	case *document.NotAppliedError:
		return remedyCall(e.Ref, "")
	case *document.OptionNotFoundError:
		if len(e.Options) == 0 {
			return remedyCall(e.Ref, "")
		}
		option := spelling.Nearest(e.Value, e.Options)
		if option == "" {
			option = e.Options[0]
		}
		return setCall(e.Ref, option)
	case *document.NoCellError, *locate.NoMatchError, *document.NoElementError:
		return toolset.ToolReadPage, "{}"
	case *input.NothingFocusedError:
		return toolset.ToolInteract, `{"query":"the field"}`
	case *input.InputNotDeliveredError:
		return toolset.ToolPageReload, "{}"
	case *input.NoFileChooserError:
		return toolset.ToolQueryDOM, `{"method":"css","selector":"input[type=file]","multiple":true}`
	case *input.BadKeyError:
		key := e.Nearest
		if key == "" {
			key = "Control+a"
		}
		return toolset.ToolComputer, fmt.Sprintf(`{"action":"key","text":%s}`, quoted(key))
	}
	return "", ""
}

func remedyCall(ref string, remedy document.Remedy) (tool, arguments string) {
	switch {
	case remedy == document.RemedyRead || ref == "":
		return toolset.ToolReadPage, "{}"
	case remedy == document.RemedyDrag:
		return toolset.ToolDragDrop, fmt.Sprintf(`{"ref":%s,"offset":[20,0]}`, quoted(ref))
	default:
		return toolset.ToolInteract, fmt.Sprintf(`{"ref":%s,"then":"diff"}`, quoted(ref))
	}
}

func setCall(ref, value string) (tool, arguments string) {
	return toolset.ToolFormInput, fmt.Sprintf(`{"ref":%s,"value":%s}`, quoted(ref), quoted(value))
}

// quoted returns a string as JSON.
func quoted(s string) string {
	encoded, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(encoded)
}
