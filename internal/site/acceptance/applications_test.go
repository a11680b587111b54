package acceptance_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/proctest"
)

// TestApplicationsServe starts each application and reads what its content must show.
func TestApplicationsServe(t *testing.T) {
	t.Parallel()
	proctest.Nightly(t)
	for name, c := range map[string]struct {
		start func(testing.TB) App
		path  string
		want  string
	}{
		"cgit":  {StartCgit, "/lamp/log/", "Repair the flicker"},
		"wiki":  {StartWiki, "/recipes/default/tiddlers/Kettle", "boils at 100 degrees"},
		"admin": {StartAdmin, "/admin/login/", "Django administration"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := c.start(t)
			res, err := http.Get(app.URL + c.path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			body, err := io.ReadAll(res.Body)
			if err != nil || !strings.Contains(string(body), c.want) {
				t.Errorf("%s%s lacks %q: %v\n%s", app.URL, c.path, c.want, err, body)
			}
		})
	}
}
