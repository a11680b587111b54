package oracle

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
)

// sample is a page to compare: its name, and its path on the site.
type sample struct{ name, path string }

// site serves the pages of the packages on loopback.
type site struct {
	*http.ServeMux

	samples []sample
}

// fixtures is the file of a component of govuk-frontend: examples with their rendered HTML.
type fixtures struct {
	Component string `json:"component"`
	Fixtures  []struct {
		Name string `json:"name"`
		HTML string `json:"html"`
	} `json:"fixtures"`
}

// shell is the document around a fragment of a component library.
var shell = template.Must(template.New("shell").Parse(`<!doctype html>
<html lang="en" class="govuk-template"><head><meta charset="utf-8"><title>{{.Name}}</title>
<link rel="stylesheet" href="{{.Style}}"></head>
<body class="{{.Class}}"><script>document.body.className += ' js-enabled govuk-frontend-supported'</script>
<main>{{.Body}}</main>{{.Script}}</body></html>
`))

// fragment is the data of the page template: a name, styles, a body and a script.
type fragment struct {
	Name, Style, Class string
	Body, Script       template.HTML
}

// newSite makes the site of all packages: widgets is the directory of the widget suite, or "" to leave its pages
// out, and packages the node_modules of the oracle.
func newSite(widgets, packages string) (*site, error) {
	s := &site{ServeMux: http.NewServeMux()}
	s.Handle("/packages/", http.StripPrefix("/packages/", http.FileServer(http.Dir(packages))))
	if err := s.addGOVUK(packages); err != nil {
		return nil, err
	}
	if err := s.addUSWDS(packages); err != nil {
		return nil, err
	}
	if widgets != "" {
		if err := s.addWidgets(widgets); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *site) serve() *httptest.Server { return httptest.NewServer(s) }

// addFragment adds a page of one fragment.
func (s *site) addFragment(path string, f fragment) {
	s.samples = append(s.samples, sample{f.Name, path})
	s.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = shell.Execute(w, f) // the browser may be gone
	})
}

// addGOVUK adds a page for each fixture of govuk-frontend.
func (s *site) addGOVUK(packages string) error {
	files, err := filepath.Glob(filepath.Join(packages, "govuk-frontend/dist/govuk/components/*/fixtures.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("govuk-frontend has no fixtures in %s: run make oracle-install", packages)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var f fixtures
		if err := json.Unmarshal(text, &f); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		for i, example := range f.Fixtures {
			s.addFragment(fmt.Sprintf("/govuk/%s/%d", f.Component, i), fragment{
				Name: "govuk " + f.Component + ": " + example.Name, Class: "govuk-template__body",
				Style: "/packages/govuk-frontend/dist/govuk/govuk-frontend.min.css", Body: template.HTML(example.HTML),
				Script: `<script type="module">import { initAll } from '/packages/govuk-frontend/dist/govuk/govuk-frontend.min.js'; initAll()</script>`,
			})
		}
	}
	return nil
}

// addUSWDS adds a page for each test template of @uswds/uswds.
func (s *site) addUSWDS(packages string) error {
	root := filepath.Join(packages, "@uswds/uswds/packages")
	files, err := filepath.Glob(filepath.Join(root, "*/src/test/*.html"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("@uswds/uswds has no templates in %s: run make oracle-install", packages)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		component := strings.Split(strings.TrimPrefix(file, root+"/"), "/")[0]
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".html"), ".template")
		s.addFragment("/uswds/"+component+"/"+name, fragment{
			Name: "uswds " + component + ": " + name, Style: "/packages/@uswds/uswds/dist/css/uswds.min.css",
			Body: template.HTML(text), Script: `<script src="/packages/@uswds/uswds/dist/js/uswds.min.js"></script>`,
		})
	}
	return nil
}

// addWidgets adds the pages of the widget suite, which load their libraries from /npm/ and /dist/.
func (s *site) addWidgets(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "pages/*.html"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no pages of the widget suite in %s", dir)
	}
	s.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(filepath.Join(dir, "node_modules")))))
	s.Handle("/dist/", http.StripPrefix("/dist/", http.FileServer(http.Dir(filepath.Join(dir, "dist")))))
	s.Handle("/", http.FileServer(http.Dir(filepath.Join(dir, "pages"))))
	for _, file := range files {
		name := filepath.Base(file)
		s.samples = append(s.samples, sample{"widgets " + strings.TrimSuffix(name, ".html"), "/" + name})
	}
	return nil
}
