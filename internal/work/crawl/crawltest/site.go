// Package crawltest is a generated site to crawl: as many linked pages as one likes, and everything that crawlers trip over.
//
// It remembers who asked for what and when, so that tests can say whether a page was missed, repeated or forbidden. It must
// not know how it is crawled.
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

// Options make a site.
type Options struct {
	Pages      int           // that are linked
	Latency    time.Duration // of every answer
	Traps      bool          // what crawlers trip over, too
	CrawlDelay int           // of robots.txt, in seconds; 0 is none
	Scripted   bool          // a page that shows nothing without its scripts
}

// Site is the site, as a handler. Its pages only link to where it is asked for.
type Site struct {
	opt Options
	mux *http.ServeMux

	mu      sync.Mutex
	hits    map[string][]time.Time // by path and query
	written map[string]int64       // bytes of bodies that were sent, of large ones
}

// New makes a site.
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
	return s
}

// ServeHTTP answers and remembers.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.hits[r.URL.RequestURI()] = append(s.hits[r.URL.RequestURI()], time.Now())
	s.mu.Unlock()
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

// Hits is when each path and query was asked for.
func (s *Site) Hits() map[string][]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string][]time.Time, len(s.hits))
	for k, v := range s.hits {
		out[k] = append([]time.Time(nil), v...)
	}
	return out
}

// first reports whether a path is asked for the first time.
func (s *Site) first(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hits[r.URL.RequestURI()]) == 1
}

// Written is how many bytes of a large answer were sent.
func (s *Site) Written(path string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written[path]
}

// Paths are the pages that must be found, each with content of its own.
func (s *Site) Paths() []string {
	all := []string{"/"}
	for i := 1; i < s.opt.Pages; i++ {
		all = append(all, path(i))
	}
	return all
}

func path(i int) string {
	if i == 0 {
		return "/"
	}
	return "/p/" + strconv.Itoa(i)
}

// page is one of the linked ones. They make a tree of three branches, and lead back and across.
func (s *Site) page(w http.ResponseWriter, r *http.Request, n int) {
	if s.opt.Traps && n%97 == 13 && s.first(r) {
		w.WriteHeader(http.StatusServiceUnavailable) // and is there the next time
		return
	}
	rnd := rand.New(rand.NewPCG(uint64(n), 1)) // #nosec G404 -- a site that is the same every time
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><head><title>Page %d</title><meta name=description content='About %d'></head><body><nav>", n, n)
	for c := 3*n + 1; c <= 3*n+3 && c < s.opt.Pages; c++ {
		fmt.Fprintf(&b, "<a href='%s'>child %d</a> ", path(c), c)
	}
	for range 5 {
		other := rnd.IntN(s.opt.Pages)
		switch rnd.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "<a href='%s#part-%d'>fragment</a> ", path(other), n)
		case 1:
			fmt.Fprintf(&b, "<a href='http://%s/x/..%s'>dots</a> ", r.Host, path(other))
		default:
			fmt.Fprintf(&b, "<a href='%s'>other</a> ", path(other))
		}
	}
	if s.opt.Traps {
		s.lures(&b, n)
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

// lures are links into traps. Every page has some.
func (*Site) lures(b *strings.Builder, n int) {
	for _, q := range []string{"color=red&size=m&sort=up", "size=m&color=red&sort=up", "sort=up&size=m&color=red", "color=red&sort=up&size=m"} {
		fmt.Fprintf(b, "<a href='/shop?%s'>shop</a> ", q)
	}
	switch n % 10 {
	case 0:
		b.WriteString("<a href=/calendar/2026/11>calendar</a> <a href=/private/secret>private</a> <a href=/copy/1>copy</a>")
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

func html(w http.ResponseWriter, format string, a ...any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, format, a...) // #nosec G705 -- a site of tests
}

// traps are the answers behind the lures.
func (s *Site) traps() {
	on := s.mux.HandleFunc
	on("/shop", func(w http.ResponseWriter, r *http.Request) {
		html(w, "<title>Shop</title><p>Everything in %s, and every link here is the same one in another order, which is a page.</p>"+
			"<a href='?size=m&amp;sort=up&amp;color=red'>again</a>", url.QueryEscape(r.URL.Query().Get("color")))
	})
	on("/calendar/{y}/{m}", func(w http.ResponseWriter, r *http.Request) {
		y, _ := strconv.Atoi(r.PathValue("y"))
		m, _ := strconv.Atoi(r.PathValue("m"))
		month := 12*y + m - 1
		html(w, "<title>Calendar %d/%d</title><p>There is nothing in month %d of year %d, and there will be nothing in the next one.</p>"+
			"<a href=/calendar/%d/%d>before</a> <a href=/calendar/%d/%d>next</a>", y, m, m, y, (month-1)/12, (month-1)%12+1, (month+1)/12, (month+1)%12+1)
	})
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
	on("/private/", func(w http.ResponseWriter, _ *http.Request) { html(w, "<title>Private</title>") })
	on("/copy/{n}", func(w http.ResponseWriter, r *http.Request) {
		html(w, "<title>Copy</title><link rel=canonical href=/p/%s><p>A copy of another page, with words of its own that make it differ a little.</p>", r.PathValue("n"))
	})
	on("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	on("/busy", func(w http.ResponseWriter, r *http.Request) {
		if s.first(r) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		html(w, "<title>Busy</title><p>It had been too much for a moment, and now this page is here after all for everybody.</p>")
	})
	on("/slow", func(w http.ResponseWriter, r *http.Request) {
		if s.sleep(r, 1500*time.Millisecond) {
			html(w, "<title>Slow</title><p>This page takes its time, and then it has as much to say as any other page of the site.</p>")
		}
	})
	on("/malformed", func(w http.ResponseWriter, _ *http.Request) {
		html(w, "<title>Malformed<body></title><p><a href='/behind-malformed'>x<table><p <<< &#xZZ; </b></i>%s\x00\xff<p>text that is long enough to be told apart from others", strings.Repeat("<div>", 3000))
	})
	on("/behind-malformed", func(w http.ResponseWriter, _ *http.Request) {
		html(w, "<title>Behind</title><p>Only a page whose markup is broken in every way leads here, and still it is found.</p>")
	})
	on("/latin", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		fmt.Fprint(w, "<title>Caf\xe9</title><p>Ein Caf\xe9 in M\xfcnchen hat eine Seite, deren Buchstaben anders geschrieben werden als sonst.</p>")
	})
	on("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		html(w, "<title>Short</title><p>This answer ends before it said it would, and what there is of it is good enough.</p>")
	})
	on("/deep/", func(w http.ResponseWriter, r *http.Request) { // a relative link that grows
		html(w, "<title>Deep %d</title><p>A link that is relative by mistake makes the address longer with each step: %d characters.</p><a href='deep/'>deeper</a>", len(r.URL.Path), len(r.URL.Path))
	})
	on("/huge", func(w http.ResponseWriter, _ *http.Request) {
		html(w, "<title>Huge</title><p>")
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
		html(w, "<!doctype html><title>Loading</title><div id=root></div><script>setTimeout(()=>{document.title='App';document.getElementById('root').innerHTML="+
			"'<h1>App</h1><p>Made by a script.</p><a href=/by-script>by script</a>'},150)</script>")
	})
	on("/by-script", func(w http.ResponseWriter, _ *http.Request) {
		html(w, "<title>By script</title><p>Only a page that a script has made leads here, so nobody comes who has no browser.</p>")
	})
}

// pour sends text until it is enough or nobody listens.
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

// sitemaps lists all pages: an index over compressed parts of a thousand, and one that is gone.
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
			fmt.Fprintf(z, "<url><loc>http://%s%s</loc><lastmod>%d-01-02</lastmod></url>", r.Host, path(i), 2020+i%5)
		}
		fmt.Fprint(z, "</urlset>")
		_ = z.Close()
	})
}
