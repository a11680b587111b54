package evidence

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/spec"
)

const source = `package tools_test

import (
	"testing"

	"example.com/m/gen/toolkit"
	"example.com/m/generated/toolset"
)

func TestDirect(t *testing.T) { says(t, toolset.ToolBack, "x") }
func TestField(t *testing.T)  { says(t, request{Tool: toolset.ToolBack}) }
func TestNamedOnly(t *testing.T) { _ = toolset.ToolBack; _ = toolkit.PolicyDenied }
func TestSkips(t *testing.T)  { t.Run("a", func(t *testing.T) { t.SkipNow() }) }
func TestHelped(t *testing.T) { first(t) }
func TestFine(t *testing.T)   { third(t) }
func Benchmark(b *testing.B)  { b.Skip() }
func first(t *testing.T)      { second(t) }
func second(t *testing.T)     { second(t); t.Skipf("no %s", "x") }
func third(t *testing.T)      { third(t) }
func TestNot(t *testing.T, n int) {}
`

// usual are the packages of a module without settings.
var usual = Packages{Toolset: "toolset", Codes: "codes", Registry: "generated/registry"}

func TestRead(t *testing.T) {
	code := Read([]spec.File{
		{Name: "tools/a_test.go", Data: []byte(source)},
		{Name: "tools/b_test.go", Data: []byte("//go:build soak\n\npackage tools_test\n\nimport \"testing\"\n\nfunc TestTagged(t *testing.T) {}\n")},
		{Name: "tools/broken_test.go", Data: []byte("package")},
		{Name: "tools/page/page.go", Data: []byte("package page\n\nfunc (t *Tools) Back(c *toolkit.Call) {}\nfunc (t *Tools) back(c *toolkit.Call) {}\nfunc (t *Tools) Other(c *Call) {}\nfunc Back(c *toolkit.Call) {}\n")},
	}, usual)
	if len(code.Handlers) != 1 || code.Handlers[0].Method != "Back" || code.Handlers[0].Pos.Line != 3 {
		t.Errorf("handlers %+v", code.Handlers)
	}
	calls := map[string]int{"TestDirect": 1, "TestField": 1}
	skips := map[string]string{
		"TestSkips": "a call to Skip in TestSkips", "TestHelped": "a call to Skip in second", "TestTagged": "a build constraint",
	}
	if len(code.Tests) != 7 {
		t.Errorf("%d tests", len(code.Tests))
	}
	for _, test := range code.Tests {
		if len(test.Calls) != calls[test.Name] {
			t.Errorf("%s calls %v", test.Name, test.Calls)
		}
		if test.Skip != skips[test.Name] {
			t.Errorf("%s: %q", test.Name, test.Skip)
		}
		if test.Name == "TestNamedOnly" && !test.Says("PolicyDenied") {
			t.Errorf("it says %v", test.Words)
		}
	}
}

func TestResults(t *testing.T) {
	const log = `{"Action":"run","Package":"m/tools","Test":"TestA"}
{"Action":"output","Package":"m/tools","Test":"TestA","Output":"x\n"}
{"Action":"pass","Package":"m/tools","Test":"TestA"}
{"Action":"skip","Package":"m/tools","Test":"TestB/part"}
{"Action":"pass","Package":"m/tools","Test":"TestB"}
{"Action":"pass","Package":"m/tools","Test":"TestC"}
{"Action":"fail","Package":"m/tools","Test":"TestC"}

{"Action":"pass","Package":"m/tools"}
`
	r, err := ReadResults([]byte(log))
	if err != nil {
		t.Fatal(err)
	}
	for test, want := range map[string]string{"TestA": "pass", "TestB": "skip", "TestC": "fail", "TestD": ""} {
		if got := r.Of("m/tools", test); got != want {
			t.Errorf("%s: %q, want %q", test, got, want)
		}
	}
	if r.Of("m/other", "TestA") != "" {
		t.Error("another package's test counts")
	}
	for _, bad := range []string{"", "ok  \tm/tools\t0.1s\n", `{"Action":"pass","Package":"m/tools"}`, "[]"} {
		if _, err := ReadResults([]byte(bad)); err == nil || strings.Contains(err.Error(), "%!") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"Action":"pass","Package":"p","Test":"T"}`))
	f.Fuzz(func(_ *testing.T, log []byte) {
		if r, err := ReadResults(log); err == nil {
			r.Of("p", "T")
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(source)
	f.Fuzz(func(_ *testing.T, text string) {
		Read([]spec.File{{Name: "tools/a_test.go", Data: []byte(text)}, {Name: "tools/a/a.go", Data: []byte(text)}}, usual)
	})
}
