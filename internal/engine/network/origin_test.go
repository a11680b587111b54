package network_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/engine/network"
)

// TestOrigin: an origin is written as a page writes it, so that two spellings of one are the same.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://Shop.example:443/a?b": "https://shop.example", "http://shop.example:80": "http://shop.example", "http://[::1]:80/": "http://[::1]",
		"https://shop.example:8443/": "https://shop.example:8443", "http://shop.example:443/": "http://shop.example:443", "http://[::80]/": "http://[::80]",
		"about:blank": "", "ftp://shop.example/": "",
	} {
		if got, err := network.Origin(address); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", address, got, err, want)
		}
	}
}
