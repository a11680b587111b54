package spec

import "github.com/callsheet/callsheet/gen/diag"

// Settings is one entry of a module's settings: where a manifest is and what is made of it. What is not
// written has its usual value.
type Settings struct {
	Manifest, Output, Handlers Text
	Docs                       []Text
	DocsWritten                bool // an empty list has no document checked
	Packages                   Packages
	References, Joined         Scalar[bool]
	Pos                        diag.Pos
}

// Packages names the generated packages.
type Packages struct{ Toolset, Registry, Codes, Power, CLI Text }

// ParseSettings reads the settings of a module: an entry for each manifest.
func ParseSettings(f File) ([]Settings, diag.List) {
	var diags diag.List
	var out []Settings
	w, body := openAs(f, grammar("the settings"), &diags)
	if body == nil {
		return nil, diags
	}
	var v Scalar[int]
	w.Fields(body, "the settings", w.Pos(body),
		required("version", w.IntoInt(&v)),
		required("manifests", func(m member) {
			items, _ := w.Items(m, "a list of manifests")
			for _, n := range items {
				s := Settings{Pos: w.Pos(n)}
				w.Fields(n, "the settings of a manifest", s.Pos,
					required("manifest", w.IntoText(&s.Manifest)),
					optional("output", w.IntoText(&s.Output)),
					optional("handlers", w.IntoText(&s.Handlers)),
					optional("docs", func(m member) { s.DocsWritten = true; w.IntoTexts(&s.Docs)(m) }),
					optional("packages", w.packages(&s.Packages)),
					optional("references", w.IntoBool(&s.References)),
					optional("joined", w.IntoBool(&s.Joined)))
				out = append(out, s)
			}
		}))
	w.knownVersion(v)
	return out, diags
}

func (w *walker) packages(dst *Packages) func(member) {
	return func(m member) {
		w.Fields(m.Value, "packages", m.Key.Pos,
			optional("toolset", w.IntoText(&dst.Toolset)),
			optional("registry", w.IntoText(&dst.Registry)),
			optional("codes", w.IntoText(&dst.Codes)),
			optional("power", w.IntoText(&dst.Power)),
			optional("cli", w.IntoText(&dst.CLI)))
	}
}
