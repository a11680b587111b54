package options

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/cli/companion"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/serve"
)

// Site is the flags that choose a site to serve.
type Site struct {
	Dir, Origin string
	Values      map[string]string
	Auto        bool
	Accept      bool // repairs, where no person can be asked
}

// flags adds the flags of serve.
func (o *Site) flags(f *pflag.FlagSet) {
	f.StringVar(&o.Dir, "site", "", "offer the tools of the site in this `DIR`ectory, and list nothing else; --scope default lists the tools of the browser too")
	o.RunFlags(f)
	f.BoolVar(&o.Accept, "site-accept-repairs", false, "let clients accept proposed repairs of the site's tools where no person can be asked")
}

// RunFlags adds the flags that say how a site is run.
func (o *Site) RunFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Origin, "site-origin", "", "use this `ORIGIN` in place of the site's first one, as for a test server")
	f.StringToStringVar(&o.Values, "site-parameter", nil, "set a parameter of the site: `NAME=VALUE`; may be repeated")
	f.BoolVar(&o.Auto, "site-auto", false, "run the tools that lead to a hidden tool of the site first, such as a login")
}

// apply offers the site that the flags choose.
func (o *Site) apply(cfg *app.Config) {
	if o.Dir == "" {
		return
	}
	cfg.Site = serve.New(serve.Options{Dir: o.Dir, Origin: strings.TrimSuffix(o.Origin, "/"), Values: o.Values, Auto: o.Auto, AcceptRepairs: o.Accept, Compile: companion.CompileSite})
	if cfg.Surface.Scope == "" {
		cfg.Surface.Scope = compiled.Scope
	}
}
