package audit_test

import (
	"bytes"
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

//go:embed testdata/clean.html
var cleanPage string

//go:embed testdata/broken.html
var brokenPage string

// cardScript defines an element with an open shadow root: its picture lacks a text where it is broken.
const cardScript = `customElements.define('shadow-card', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: 'open' });
    root.innerHTML = this.hasAttribute('data-broken') ? '<img src="/square.png" width=40 height=40>' : '<p>A card</p>';
  }
});`

// serveSite serves a page without defects at /clean, one with many at /broken, and what they load.
func serveSite(t *testing.T) string {
	t.Helper()
	var square bytes.Buffer
	picture := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for i := range 40 * 40 {
		picture.Set(i%40, i/40, color.RGBA{R: 40, G: 90, B: 200, A: 255})
	}
	if err := png.Encode(&square, picture); err != nil {
		t.Fatal(err)
	}
	strict := func(w http.ResponseWriter) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "same-origin")
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "planted-secret", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
	srv := httptest.NewServer(nil)
	serve := func(kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, strings.ReplaceAll(text, "ORIGIN", srv.URL))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/clean", func(w http.ResponseWriter, r *http.Request) {
		strict(w)
		serve("text/html; charset=utf-8", cleanPage)(w, r)
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Robots-Tag", "noindex")
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "planted-secret"})
		serve("text/html", strings.ReplaceAll(brokenPage, "LONGTEXT", strings.Repeat("Small print that nobody reads. ", 60)))(w, r)
	})
	mux.HandleFunc("/frame", serve("text/html; charset=utf-8", `<!doctype html><html lang=en><title>Notes</title><p>A note`))
	mux.HandleFunc("/square.png", serve("image/png", square.String()))
	mux.HandleFunc("/card.js", serve("text/javascript", cardScript))
	mux.HandleFunc("/used.js", serve("text/javascript", "document.title;"))
	mux.HandleFunc("/used.css", serve("text/css", "body{font:16px/1.5 sans-serif} button{min-height:32px}"))
	mux.HandleFunc("/unused.js", serve("text/javascript", "function never(){"+strings.Repeat("never();", 4000)+"}"))
	mux.HandleFunc("/unused.css", serve("text/css", strings.Repeat(".never{color:red}\n", 1000)))
	srv.Config.Handler = mux
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}
