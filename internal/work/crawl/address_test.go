package crawl

import "testing"

// TestAddressesStayAsTheirSiteWritesThem: what servers tell apart is not made the same, and not
// asked for in another way.
func TestAddressesStayAsTheirSiteWritesThem(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		link, want string
		strip      bool
	}{
		{"http://h/index.php?/topic/12-title/", "http://h/index.php?/topic/12-title/", false},
		{"http://h/?print", "http://h/?print", false},
		{"http://h/?b&a=&c=1", "http://h/?a=&b&c=1", false},
		{"http://h/?q=a%20b&p=c+d", "http://h/?p=c+d&q=a%20b", false},
		{"http://h/?p=repo.git;a=summary", "http://h/?p=repo.git;a=summary", false},
		{"http://h/?%7euser=%c3%bc&&a", "http://h/?a&~user=%C3%BC", false},
		{"http://h/?ü=1", "http://h/?%C3%BC=1", false},
		{"http://h/?UTM_Source=x&gclid&print", "http://h/?print", true},
		{"http://h/100%", "http://h/100%25", false},
		{"http://h/100%/50%zz?%", "http://h/100%25/50%25zz?%25", false},
	} {
		at, err := NewCanonicalizer(tc.strip).Resolve("", tc.link)
		if err != nil || at.URL != tc.want {
			t.Errorf("%q is %q (%v), want %q", tc.link, at.URL, err, tc.want)
		}
		if again, err := NewCanonicalizer(tc.strip).Resolve("", at.URL); err != nil || again.URL != at.URL {
			t.Errorf("%q becomes %q (%v)", at.URL, again.URL, err)
		}
	}
}

func TestGlobsOfOtherLetters(t *testing.T) {
	t.Parallel()
	at, err := NewCanonicalizer(false).Resolve("", "http://h/über/a b?ö=1")
	if err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]bool{"/über/**": true, "/%c3%bcber/**": true, "h/*ber/**": true, "/uber/**": false, "/\xff**": false} {
		if got := compileGlob(pattern).MatchString(at.URL); got != want {
			t.Errorf("%q on %q: %v", pattern, at.URL, got)
		}
	}
}
