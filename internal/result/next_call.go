package result

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/text"
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
	case *page.OutsideViewportError:
		return toolset.ToolComputer, fmt.Sprintf(`{"action":"scroll","scroll_direction":%q}`, e.Direction())
	case *page.NotActionableError:
		if e.Covering != nil && e.Covering.Ref != "" {
			return toolset.ToolReadPage, fmt.Sprintf(`{"ref_id":%s}`, quoted(e.Covering.Ref))
		}
		return toolset.ToolReadPage, "{}"
	case *page.NotEditableError:
		return remedyCall(e.Ref, e.Remedy)
	case *page.ValueRefusedError:
		if e.Example != "" {
			return setCall(e.Ref, e.Example)
		}
		return remedyCall(e.Ref, e.Remedy)
	case *page.OptionNotFoundError:
		if len(e.Options) == 0 {
			return remedyCall(e.Ref, "")
		}
		option := text.Nearest(e.Value, e.Options)
		if option == "" {
			option = e.Options[0]
		}
		return setCall(e.Ref, option)
	case *page.NoCellError, *page.NoMatchError, *page.NoElementError:
		return toolset.ToolReadPage, "{}"
	case *page.NothingFocusedError:
		return toolset.ToolInteract, `{"query":"the field"}`
	case *page.InputNotDeliveredError:
		return toolset.ToolPageReload, "{}"
	case *page.NoFileChooserError:
		return toolset.ToolQueryDOM, `{"method":"css","selector":"input[type=file]","multiple":true}`
	case *page.BadKeyError:
		key := e.Nearest
		if key == "" {
			key = "Control+a"
		}
		return toolset.ToolComputer, fmt.Sprintf(`{"action":"key","text":%s}`, quoted(key))
	}
	return "", ""
}

func remedyCall(ref string, remedy page.Remedy) (tool, arguments string) {
	switch {
	case remedy == page.RemedyRead || ref == "":
		return toolset.ToolReadPage, "{}"
	case remedy == page.RemedyDrag:
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
