package script_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/record/script"
)

// TestDomain: what an agent navigates to and what it asks for mean the same site; what is on no
// site has none.
func TestDomain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://www.Shop.example:8080/x?y#z": "shop.example", "shop.example": "shop.example", " Shop.example. ": "shop.example",
		"shop.example/login": "shop.example", "www.shop.example:8080/login?a=b": "shop.example", "shop.example?x": "shop.example",
		"//shop.example/x": "shop.example", "ann:pw@shop.example/x": "shop.example", "localhost:8080/x": "localhost", "127.0.0.1": "127.0.0.1",
		"http://[::1]:80/x": "::1", "about:blank": "", "data:text/html,x": "", "chrome-error://chromewebdata/": "", "file:///etc/x": "", "": "",
	} {
		if got := script.Domain(text); got != want {
			t.Errorf("%q is of %q, want %q", text, got, want)
		}
	}
}
