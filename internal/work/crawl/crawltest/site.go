// Package crawltest generates a site to crawl: any number of linked pages, and crawler traps.
//
// The site records its requests, so that tests find missed, repeated and forbidden ones. The
// package must not know how the site is crawled.
package crawltest

import (
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options configure a site.
type Options struct {
	Pages      int           // linked pages
	Latency    time.Duration // of every response
	Traps      bool          // with crawler traps
	CrawlDelay int           // of robots.txt, in seconds; 0 means none
	Scripted   bool          // with a page that needs its scripts
}

// Site is the handler of a site. Its pages link to the host of the request.
type Site struct {
	opt Options
	mux *http.ServeMux

	mu      sync.Mutex
	hits    map[string][]time.Time // by path and query
	written map[string]int64       // sent bytes of large bodies, by path
	current int                    // requests in progress
	peak    int                    // most requests in progress at once
}

// New returns a site.
func New(opt Options) *Site {
	s := &Site{opt: opt, mux: http.NewServeMux(), hits: make(map[string][]time.Time), written: make(map[string]int64)}
	s.mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, 0) })
	s.mux.HandleFunc("/p/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("n"))
		if err != nil || n < 1 || n >= opt.Pages {
			http.NotFound(w, r)
			return
		}
		s.page(w, r, n)
	})
	s.mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "User-agent: *\nDisallow: /private/\nAllow: /\nSitemap: http://%s/sitemaps/index.xml\n", r.Host) // #nosec G705 -- a site of tests
		if opt.CrawlDelay > 0 {
			fmt.Fprintf(w, "Crawl-delay: %d\n", opt.CrawlDelay)
		}
	})
	s.sitemaps()
	s.traps()
	s.redirects()
	s.badPages()
	s.largeBodies()
	return s
}

// ServeHTTP records and answers a request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.hits[r.URL.RequestURI()] = append(s.hits[r.URL.RequestURI()], time.Now())
	s.current++
	s.peak = max(s.peak, s.current)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.current--
	}()
	if !s.sleep(r, s.opt.Latency) {
		return
	}
	s.mux.ServeHTTP(w, r)
}

func (*Site) sleep(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// InProgress returns how many requests are in progress.
func (s *Site) InProgress() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Peak returns the most requests that were in progress at once.
func (s *Site) Peak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// Hits returns the times of the requests, by path and query.
func (s *Site) Hits() map[string][]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string][]time.Time, len(s.hits))
	for k, v := range s.hits {
		out[k] = append([]time.Time(nil), v...)
	}
	return out
}

// isFirst reports whether this is the first request for its path.
func (s *Site) isFirst(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hits[r.URL.RequestURI()]) == 1
}

// Written returns the sent bytes of a large body.
func (s *Site) Written(path string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written[path]
}

// Paths returns the paths of the linked pages. Each has content of its own.
func (s *Site) Paths() []string {
	all := []string{"/"}
	for i := 1; i < s.opt.Pages; i++ {
		all = append(all, pathOf(i))
	}
	return all
}

func pathOf(i int) string {
	if i == 0 {
		return "/"
	}
	return "/p/" + strconv.Itoa(i)
}

// page writes a linked page. The pages form a tree of three branches, with more links across it.
func (s *Site) page(w http.ResponseWriter, r *http.Request, n int) {
	if s.opt.Traps && n%97 == 13 && s.isFirst(r) {
		w.WriteHeader(http.StatusServiceUnavailable) // the next request succeeds
		return
	}
	rnd := rand.New(rand.NewPCG(uint64(n), 1)) // #nosec G404 -- a site that is the same every time
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><head><title>Page %d</title><meta name=description content='About %d'></head><body><nav>", n, n)
	for c := 3*n + 1; c <= 3*n+3 && c < s.opt.Pages; c++ {
		fmt.Fprintf(&b, "<a href='%s'>child %d</a> ", pathOf(c), c)
	}
	for range 5 {
		other := rnd.IntN(s.opt.Pages)
		switch rnd.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "<a href='%s#part-%d'>fragment</a> ", pathOf(other), n)
		case 1:
			fmt.Fprintf(&b, "<a href='http://%s/x/..%s'>dots</a> ", r.Host, pathOf(other))
		default:
			fmt.Fprintf(&b, "<a href='%s'>other</a> ", pathOf(other))
		}
	}
	if s.opt.Traps {
		writeTrapLinks(&b, n)
		if n == 1 {
			b.WriteString("<a href=/copy/1>copy</a>") // so that the crawl reads this page before its copy
		}
	}
	if s.opt.Scripted && n == 0 {
		b.WriteString("<a href=/app>app</a>")
	}
	fmt.Fprintf(&b, "</nav><h1>Page %d</h1>", n)
	for p := range 4 {
		fmt.Fprintf(&b, "<p>Paragraph %d of page %d says %x and %x.</p>", p, n, rnd.Uint64(), rnd.Uint64())
	}
	b.WriteString("</body></html>")
	fmt.Fprint(w, b.String())
}

// writeTrapLinks writes links to traps.
func writeTrapLinks(b *strings.Builder, n int) {
	for _, q := range []string{"color=red&size=m&sort=up", "size=m&color=red&sort=up", "sort=up&size=m&color=red", "color=red&sort=up&size=m"} {
		fmt.Fprintf(b, "<a href='/shop?%s'>shop</a> ", q)
	}
	switch n % 10 {
	case 0:
		b.WriteString("<a href=/calendar/2026/11>calendar</a> <a href=/private/secret>private</a>")
	case 1:
		b.WriteString("<a href=/loop/a>loop</a> <a href=/hop/1>hop</a> <a href=/self>self</a> <a href=/away>away</a>")
	case 2:
		b.WriteString("<a href=/broken>broken</a> <a href=/busy>busy</a> <a href=/missing>missing</a>")
	case 3:
		b.WriteString("<a href=/huge>huge</a> <a href=/film.mp4>film</a> <a href=/paper.pdf>paper</a> <a href=/slow>slow</a>")
	case 4:
		b.WriteString("<a href=/malformed>malformed</a> <a href=/latin>latin</a> <a href=/short>short</a> <a href='mailto:a@b.c'>mail</a> <a href='javascript:void(0)'>js</a>")
	case 5:
		b.WriteString("<a href='http://elsewhere.invalid/'>outside</a> <a href='http://[bad'>bad</a> <a href='/deep/'>deep</a>")
	}
}

func writeHTML(w http.ResponseWriter, format string, a ...any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, format, a...) // #nosec G705 -- a site of tests
}

// traps registers targets of the trap links that never end; the methods after it register the
// others.
func (s *Site) traps() {
	on := s.mux.HandleFunc
	on("/shop", func(w http.ResponseWriter, r *http.Request) {
		writeHTML(w, "<title>Shop</title><p>Everything in %s, and every link here is the same one in another order, which is a page.</p>"+
			"<a href='?size=m&amp;sort=up&amp;color=red'>again</a>", url.QueryEscape(r.URL.Query().Get("color")))
	})
	on("/calendar/{y}/{m}", func(w http.ResponseWriter, r *http.Request) {
		y, _ := strconv.Atoi(r.PathValue("y"))
		m, _ := strconv.Atoi(r.PathValue("m"))
		month := 12*y + m - 1
		writeHTML(w, "<title>Calendar %d/%d</title><p>There is nothing in month %d of year %d, and there will be nothing in the next one.</p>"+
			"<a href=/calendar/%d/%d>before</a> <a href=/calendar/%d/%d>next</a>", y, m, m, y, (month-1)/12, (month-1)%12+1, (month+1)/12, (month+1)%12+1)
	})
}

func (s *Site) redirects() {
	on := s.mux.HandleFunc
	on("/loop/a", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop/b", http.StatusFound) })
	on("/loop/b", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop/a", http.StatusFound) })
	on("/self", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/self", http.StatusFound) })
	on("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.invalid/x", http.StatusMovedPermanently)
	})
	on("/hop/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		http.Redirect(w, r, "/hop/"+strconv.Itoa(n+1), http.StatusFound)
	})
}

func (s *Site) badPages() {
	on := s.mux.HandleFunc
	on("/private/", func(w http.ResponseWriter, _ *http.Request) { writeHTML(w, "<title>Private</title>") })
	on("/copy/{n}", func(w http.ResponseWriter, r *http.Request) {
		writeHTML(w, "<title>Copy</title><link rel=canonical href=/p/%s><p>A copy of another page, with words of its own that make it differ a little.</p>", r.PathValue("n"))
	})
	on("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	on("/busy", func(w http.ResponseWriter, r *http.Request) {
		if s.isFirst(r) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		writeHTML(w, "<title>Busy</title><p>It had been too much for a moment, and now this page is here after all for everybody.</p>")
	})
	on("/slow", func(w http.ResponseWriter, r *http.Request) {
		if s.sleep(r, 1500*time.Millisecond) {
			writeHTML(w, "<title>Slow</title><p>This page takes its time, and then it has as much to say as any other page of the site.</p>")
		}
	})
	on("/malformed", func(w http.ResponseWriter, _ *http.Request) {
		writeHTML(w, "<title>Malformed<body></title><p><a href='/behind-malformed'>x<table><p <<< &#xZZ; </b></i>%s\x00\xff<p>text that is long enough to be told apart from others", strings.Repeat("<div>", 3000))
	})
	on("/behind-malformed", func(w http.ResponseWriter, _ *http.Request) {
		writeHTML(w, "<title>Behind</title><p>Only a page whose markup is broken in every way leads here, and still it is found.</p>")
	})
	on("/latin", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		fmt.Fprint(w, "<title>Caf\xe9</title><p>Ein Caf\xe9 in M\xfcnchen hat eine Seite, deren Buchstaben anders geschrieben werden als sonst.</p>")
	})
	on("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		writeHTML(w, "<title>Short</title><p>This answer ends before it said it would, and what there is of it is good enough.</p>")
	})
}

func (s *Site) largeBodies() {
	on := s.mux.HandleFunc
	on("/deep/", func(w http.ResponseWriter, r *http.Request) { // a relative link that grows
		writeHTML(w, "<title>Deep %d</title><p>A link that is relative by mistake makes the address longer with each step: %d characters.</p><a href='deep/'>deeper</a>", len(r.URL.Path), len(r.URL.Path))
	})
	on("/huge", func(w http.ResponseWriter, _ *http.Request) {
		writeHTML(w, "<title>Huge</title><p>")
		s.pour(w, "/huge", 40<<20)
	})
	on("/film.mp4", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		w.Header().Set("Content-Length", strconv.Itoa(200<<20))
		s.pour(w, "/film.mp4", 200<<20)
	})
	on("/paper.pdf", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		fmt.Fprint(w, "%PDF-1.4 not really")
	})
	on("/app", func(w http.ResponseWriter, _ *http.Request) {
		writeHTML(w, "<!doctype html><title>Loading</title><div id=root></div><script>setTimeout(()=>{document.title='App';document.getElementById('root').innerHTML="+
			"'<h1>App</h1><p>Made by a script.</p><a href=/by-script>by script</a>'},150)</script>")
	})
	on("/by-script", func(w http.ResponseWriter, _ *http.Request) {
		writeHTML(w, "<title>By script</title><p>Only a page that a script has made leads here, so nobody comes who has no browser.</p>")
	})
}

// pour writes n bytes of text, until the client goes.
func (s *Site) pour(w http.ResponseWriter, path string, n int) {
	chunk := []byte(strings.Repeat("word ", 6553))
	for sent := 0; sent < n; {
		m, err := w.Write(chunk)
		sent += m
		s.mu.Lock()
		s.written[path] += int64(m)
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// sitemaps registers an index of compressed sitemaps with a thousand pages each, and one sitemap
// that is missing.
func (s *Site) sitemaps() {
	const part = 1000
	s.mux.HandleFunc("/sitemaps/index.xml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for i := 0; i*part < s.opt.Pages; i++ {
			fmt.Fprintf(w, "<sitemap><loc>http://%s/sitemaps/%d.xml.gz</loc></sitemap>", r.Host, i) // #nosec G705 -- a site of tests
		}
		fmt.Fprintf(w, "<sitemap><loc>http://%s/sitemaps/gone.xml</loc></sitemap></sitemapindex>", r.Host) // #nosec G705 -- a site of tests
	})
	s.mux.HandleFunc("/sitemaps/{name}", func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutSuffix(r.PathValue("name"), ".xml.gz")
		n, err := strconv.Atoi(name)
		if !ok || err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for i := n * part; i < min((n+1)*part, s.opt.Pages); i++ {
			fmt.Fprintf(z, "<url><loc>http://%s%s</loc><lastmod>%d-01-02</lastmod></url>", r.Host, pathOf(i), 2020+i%5)
		}
		fmt.Fprint(z, "</urlset>")
		_ = z.Close()
	})
}
