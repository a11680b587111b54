package breaking

import (
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// annotations is the value of list in an allowance of a changed list style.
const annotations = "annotations"

// ListInput is the input of the rules about lists: which hints they had, and have.
type ListInput struct{ was, now model.Extent }

// ListRules is the table of changes of the style of lists that break clients.
func ListRules() []diag.Rule[ListInput] {
	return []diag.Rule[ListInput]{
		{ID: "LIST_ANNOTATIONS_NO_DELETE", Severity: diag.Error, Doc: "Lists had the hints of tools, and have none now (list: {annotations: none}). Clients decide by the hints whether to ask a person " +
			"first. If it is meant, allow it in manifest/allowances.yaml with list: annotations, and say why.", Check: checkAnnotations},
	}
}

func checkAnnotations(in ListInput, report diag.Report) {
	if in.was != model.NoEntry && in.now == model.NoEntry {
		report(diag.Pos{}, "lists no longer have the hints of tools")
	}
}

// compareLists lists what has changed for the worse about the style of lists.
func compareLists(was, now Surface) []Change {
	var changes []Change
	for _, d := range diag.Check(ListRules(), ListInput{was.Annotations, now.Annotations}) {
		changes = append(changes, Change{Rule: d.Rule, List: annotations, Message: d.Message})
	}
	return changes
}
