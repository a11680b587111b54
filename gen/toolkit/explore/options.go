package explore

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Choices are the values that options can have.
type Choices struct {
	Scopes       []string     `json:"scopes"`
	Profiles     []string     `json:"profiles"`
	Capabilities []Capability `json:"capabilities"`
	Surfaces     []string     `json:"surfaces"` // policy surfaces
	Facts        []string     `json:"facts"`
	Tools        []string     `json:"tools"`
}

// Capability is a gate of the command line.
type Capability struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	OptIn       bool   `json:"optIn,omitempty"` // off without its own flag
}

func choicesOf(reg *toolkit.Registry) Choices {
	c := Choices{Scopes: append([]string{}, reg.Scopes...), Profiles: []string{}, Capabilities: []Capability{}, Surfaces: []string{}, Facts: append([]string{}, reg.Facts...), Tools: []string{}}
	for _, p := range reg.Profiles {
		c.Profiles = append(c.Profiles, p.Name)
	}
	for _, k := range reg.Capabilities {
		c.Capabilities = append(c.Capabilities, Capability{k.Name, k.Title, k.Description, k.OptIn})
	}
	for _, s := range reg.Surfaces {
		c.Surfaces = append(c.Surfaces, s.Name)
	}
	for i := range reg.Tools {
		c.Tools = append(c.Tools, reg.Tools[i].Name)
	}
	return c
}

// ParseOptions reads options from the parameters of an address, which have the names of the flags:
// scope, profile, read-only, slim, all-tools, output-schemas, visibility (core, follow or static), and, each
// any number of times, tools-only, disable-tools, tools, exclude-tools, disable-surfaces, opt-in and facts.
// The error names the parameter that is at fault.
func ParseOptions(q url.Values) (opt Options, err error) {
	opt.Facts = q["facts"]
	opt.Options = toolkit.Options{
		Scope: q.Get("scope"), Profile: q.Get("profile"), ToolsOnly: q["tools-only"], DisableTools: q["disable-tools"], OptIn: q["opt-in"],
		Tools: q["tools"], ExcludeTools: q["exclude-tools"], DisableSurfaces: q["disable-surfaces"],
	}
	for name, into := range map[string]*bool{"read-only": &opt.ReadOnly, "slim": &opt.Slim, "all-tools": &opt.AllTools, "output-schemas": &opt.OutputSchemas} {
		if text := q.Get(name); text != "" {
			if *into, err = strconv.ParseBool(text); err != nil {
				return opt, fmt.Errorf("%s: %q is neither true nor false", name, text)
			}
		}
	}
	opt.Visibility = toolkit.Visibility(q.Get("visibility"))
	if known := toolkit.Visibilities(); opt.Visibility != "" && !slices.Contains(known, opt.Visibility) {
		return opt, fmt.Errorf("visibility: %q is none of %v", opt.Visibility, known)
	}
	return opt, nil
}

// Values is ParseOptions backwards.
func Values(opt Options) url.Values {
	q := url.Values{}
	add := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				q.Add(name, v)
			}
		}
	}
	add("scope", opt.Scope)
	add("profile", opt.Profile)
	add("tools-only", opt.ToolsOnly...)
	add("disable-tools", opt.DisableTools...)
	add("opt-in", opt.OptIn...)
	add("tools", opt.Tools...)
	add("exclude-tools", opt.ExcludeTools...)
	add("disable-surfaces", opt.DisableSurfaces...)
	add("facts", opt.Facts...)
	add("visibility", string(opt.Visibility))
	for name, on := range map[string]bool{"read-only": opt.ReadOnly, "slim": opt.Slim, "all-tools": opt.AllTools, "output-schemas": opt.OutputSchemas} {
		if on {
			q.Set(name, "true")
		}
	}
	return q
}

// Handler answers GET with the Report of a registry as JSON, under the options in the address. Options
// that are at fault answer 400 with {"error": text}. It guards nothing: who mounts it decides who asks.
func Handler(registry func() *toolkit.Registry) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		opt, err := ParseOptions(r.URL.Query())
		var report Report
		if err == nil {
			report, err = Describe(registry(), opt)
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()}) // the client is gone otherwise
			return
		}
		_ = json.NewEncoder(w).Encode(report) // the client is gone otherwise
	})
}
