package crawl_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/work/crawl"
)

type fixedResponse string

func (f fixedResponse) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/plain"}}, Body: io.NopCloser(strings.NewReader(string(f))), Request: r}, nil
}

// TestPublicSitesNameNoInternalSitemap has a robots.txt name sitemaps on the internal network in every spelling.
func TestPublicSitesNameNoInternalSitemap(t *testing.T) {
	t.Parallel()
	internal := []string{
		"http://127.0.0.1:8080/a.xml", "http://10.1.2.3/a.xml", "http://192.168.0.1/a.xml", "http://172.20.0.1/a.xml", "http://169.254.169.254/a.xml",
		"http://100.64.0.1/a.xml", "http://0.0.0.0/a.xml", "http://[::1]/a.xml", "http://[fd00::1]:80/a.xml", "http://[::ffff:10.0.0.1]/a.xml",
		"http://2130706433/a.xml", "http://0x7f.1/a.xml", "http://LOCALHOST/a.xml", "http://db.localhost:5432/a.xml", "http://printer.local/a.xml",
		"http://metadata.google.internal/a.xml", "//10.0.0.1/a.xml",
	}
	public := []string{"https://shop.example/b.xml", "https://cdn.example/b.xml", "http://8.8.8.8/b.xml"}
	robots := "Sitemap: " + strings.Join(slices.Concat(internal, public), "\nSitemap: ") + "\n"
	find := func(site string) []string {
		c := crawl.New(nil, nil)
		c.Guard(func(*http.Transport) http.RoundTripper { return fixedResponse(robots) })
		maps, err := c.FindSitemaps(t.Context(), powertest.Network, site)
		if err != nil {
			t.Fatal(err)
		}
		return maps
	}
	if got := find("https://shop.example/"); !slices.Equal(got, public) {
		t.Errorf("a public site names %v", got)
	}
	if got := find("http://127.0.0.1:9000/"); len(got) < len(internal) {
		t.Errorf("a site of this machine names only %v", got)
	}
}
