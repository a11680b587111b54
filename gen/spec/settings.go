package spec

import "github.com/callsheet/callsheet/gen/diag"

// Settings is one entry of a module's settings: where a manifest is and what is made of it. What is not
// written has its usual value.
type Settings struct {
	Manifest, Output, Handlers Text
	Docs                       []Text
	DocsWritten                bool // an empty list has no document checked
	Packages                   Packages
	References                 Scalar[bool]
	Pos                        diag.Pos
}

// Packages names the generated packages.
type Packages struct{ Toolset, Registry, Codes, Power, CLI Text }

// ParseSettings reads the settings of a module: an entry for each manifest.
func ParseSettings(f File) ([]Settings, diag.List) {
	var diags diag.List
	var out []Settings
	w, body := open(f, &diags)
	w.what = "the settings"
	if body == nil {
		return nil, diags
	}
	var v Scalar[int]
	w.fields(body, "the settings", w.pos(body),
		field{"version", true, w.intoInt(&v)},
		field{"manifests", true, func(m member) {
			items, _ := w.items(m, "a list of manifests")
			for _, n := range items {
				s := Settings{Pos: w.pos(n)}
				w.fields(n, "the settings of a manifest", s.Pos,
					field{"manifest", true, w.intoText(&s.Manifest)},
					field{"output", false, w.intoText(&s.Output)},
					field{"handlers", false, w.intoText(&s.Handlers)},
					field{"docs", false, func(m member) { s.DocsWritten = true; w.intoTexts(&s.Docs)(m) }},
					field{"packages", false, w.packages(&s.Packages)},
					field{"references", false, w.intoBool(&s.References)})
				out = append(out, s)
			}
		}})
	w.knownVersion(v)
	return out, diags
}

func (w *walker) packages(dst *Packages) func(member) {
	return func(m member) {
		w.fields(m.value, "packages", m.key.Pos,
			field{"toolset", false, w.intoText(&dst.Toolset)},
			field{"registry", false, w.intoText(&dst.Registry)},
			field{"codes", false, w.intoText(&dst.Codes)},
			field{"power", false, w.intoText(&dst.Power)},
			field{"cli", false, w.intoText(&dst.CLI)})
	}
}
