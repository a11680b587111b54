package docs

import (
	"strconv"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
)

// entryData is the data of one entry in the templates of PROMPTS.md and RESOURCES.md, beside the entry itself.
type entryData struct {
	Bytes    int    // of the entry in its list
	Handler  string // Go package and method
	When     string
	AskWords string
	Rows     []argumentRow

	ScopeNames []string
}

type promptData struct {
	*model.Prompt
	entryData
}

type resourceData struct {
	*model.Resource
	entryData
}

// PriorityText is the priority, or "" where there is none.
func (d resourceData) PriorityText() string {
	if d.Priority == nil {
		return ""
	}
	return strconv.FormatFloat(*d.Priority, 'g', -1, 64)
}

// argumentRow is one line of a table of arguments. Values, Completed and Help are markdown for a cell.
type argumentRow struct {
	Name                    string
	Required                bool
	Values, Completed, Help string
}

func promptsPage(ts *model.Toolset) []promptData {
	var out []promptData
	for _, p := range ts.Prompts {
		out = append(out, promptData{p, newEntryData(ts, &p.Entry, p.Method(), len(schema.PromptDefinition(p)), p.Arguments)})
	}
	return out
}

func resourcesPage(ts *model.Toolset) []resourceData {
	var out []resourceData
	for _, r := range ts.Resources {
		out = append(out, resourceData{r, newEntryData(ts, &r.Entry, r.Method(), len(schema.ResourceDefinition(r)), r.Variables)})
	}
	return out
}

func newEntryData(ts *model.Toolset, e *model.Entry, method string, bytes int, arguments []*model.Argument) entryData {
	d := entryData{Bytes: bytes, Handler: ts.Layout.OrDefault().Handlers + "/" + e.Area.Name + "." + method, When: "always"}
	if !e.Visible.Always() {
		d.When = code(e.Visible.Text)
	}
	d.AskWords = askWords(e.Asks)
	for _, s := range e.Scopes {
		d.ScopeNames = append(d.ScopeNames, s.Name)
	}
	for _, a := range arguments {
		row := argumentRow{Name: a.Name, Required: a.Required, Values: "any text", Help: prose(a.Description)}
		switch {
		case a.Type.Enum != nil:
			row.Values, row.Completed = list(a.Type.Enum, tableCode), "its values"
		case a.Completed:
			row.Completed = tableCode(e.Completer(a))
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}
