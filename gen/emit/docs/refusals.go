package docs

import (
	"github.com/callsheet/callsheet/gen/model"
	vocabulary "github.com/callsheet/callsheet/gen/toolkit/code"
)

// refusalsData is the data of the template of REFUSALS.md.
type refusalsData struct {
	Classes           []vocabulary.Class
	Common            []vocabulary.Field
	Declared, Builtin []*model.Code
}

func refusalsPage(ts *model.Toolset) refusalsData {
	page := refusalsData{Classes: vocabulary.Classes(), Common: ts.CommonFields}
	for _, c := range ts.Codes {
		if c.Builtin {
			page.Builtin = append(page.Builtin, c)
		} else {
			page.Declared = append(page.Declared, c)
		}
	}
	return page
}
