// Package surfaceview is the view of the ui that explores the surface of the server: which tool is
// listed in which state under any flags, and why the others are not.
//
// It changes nothing: what a person tries here is computed beside the server, by gen/toolkit/explore.
// It must not know what tools are about.
package surfaceview

import (
	"cmp"
	"net/http"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/explore"
	"github.com/callsheet/callsheet/internal/ui"
)

// View registers the requests of the view:
//
//	GET surface          explore.Report of the registry, under the options in the address
//	GET surface/options  the server's own options, as an address has them: {name: [value, …]}
func View(surface *toolkit.Surface) ui.View {
	return func(api *ui.API) {
		api.Has("surface")
		api.Get("surface", func(r *http.Request) (any, error) {
			opt, err := explore.ParseOptions(r.URL.Query())
			if err != nil {
				return nil, &ui.Error{Status: http.StatusBadRequest, Message: err.Error()}
			}
			opt.Visibility = cmp.Or(opt.Visibility, toolkit.Core) // as the flags of the server have it
			report, err := explore.Describe(surface.Registry(), opt)
			if err != nil {
				return nil, &ui.Error{Status: http.StatusBadRequest, Message: err.Error()}
			}
			return report, nil
		})
		api.Get("surface/options", func(*http.Request) (any, error) {
			own := surface.Options()
			if own.Visibility == toolkit.Core {
				own.Visibility = ""
			}
			return explore.Values(explore.Options{Options: own}), nil
		})
	}
}
