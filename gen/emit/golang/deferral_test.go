package golang_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/emit/golang"
	"github.com/callsheet/callsheet/gen/model"
)

// withRecords is the sample with a second scope, a profile that excludes it, a tool in it and a
// deferral.
func withRecords() *model.Toolset {
	set := sample()
	set.CLI = &model.CLI{Program: "x"}
	shut := &model.Scope{Name: "shut", Frozen: true, Records: true}
	set.Scopes = append(set.Scopes, shut)
	set.Tools[1].Scopes = []*model.Scope{shut}
	set.Profiles = []*model.Profile{{Name: "small", Exclude: []*model.Scope{shut}}}
	set.Deferrals = []*model.Deferral{{
		Name: "go_back", GoName: "GoBack", Scope: shut, Reason: `why "not" <yet>`, Verb: "back", Args: []string{"<n>", "a b", ""},
		Competitor: model.Competitor{Product: "other", Tool: "back"}, Since: "1",
	}}
	return set
}

func file(t *testing.T, set *model.Toolset, path string) string {
	t.Helper()
	files, err := golang.Emit(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Path == path {
			return string(f.Data)
		}
	}
	t.Fatalf("no %s", path)
	return ""
}

// The record is a constant: nothing about it is decided when it is asked for.
func TestDeferred(t *testing.T) {
	text := file(t, withRecords(), "registry/deferred.go")
	text = strings.ReplaceAll(text, "` +\n\t\t\t\t`", "")
	const want = "`" + `{"ok":false,"code":"capability.unsupported","tool":"go_back","reason":"why \"not\" <yet>",` +
		`"cliEquivalent":"x back <n> \"a b\" \"\"","competitorRef":"other:back","since":"1","scope":"shut","mcpScope":"frozen"}` + "`"
	if !strings.Contains(text, want) {
		t.Errorf("no %s in\n%s", want, text)
	}
}

// The language itself refuses a tool that a profile both serves and excludes.
func TestProfileGateDoesNotCompileOverALeak(t *testing.T) {
	gate := file(t, withRecords(), "registry/profile_gate.go")
	gate = strings.ReplaceAll(strings.Replace(gate, "import \"example.com/x/generated/toolset\"", "", 1), "toolset.", "")
	const names = "\nconst (\n\tToolDoIt = \"do_it\"\n\tToolLook = \"look\"\n\tDeferredGoBack = \"go_back\"\n)\n"
	if err := compile(gate + names); err != nil {
		t.Fatalf("%v\n%s", err, gate)
	}
	leak := strings.Replace(gate, "ToolDoIt", "ToolLook", 1)
	if leak == gate {
		t.Fatalf("nothing is served:\n%s", gate)
	}
	if err := compile(leak + names); err == nil || !strings.Contains(err.Error(), "duplicate case") {
		t.Errorf("a leak compiles: %v", err)
	}
}

func compile(text string) error {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "gate.go", text, 0)
	if err != nil {
		return err
	}
	_, err = new(types.Config).Check("toolset", fset, []*ast.File{parsed}, nil)
	return err
}
