package ui

import (
	"encoding/json"
	"mime"
	"net/http"
	"net/url"

	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
)

// Error is a refusal with its HTTP status. Views return one where the request is at fault.
type Error struct {
	Status  int
	Message string
}

func (e *Error) Error() string { return e.Message }

func (e *Error) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": e.Message}) // the client is gone otherwise
}

// policy is the Content-Security-Policy of every answer: scripts and styles are files of this server,
// pictures may also come from the script, and nothing may frame, submit to or rebase a page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"media-src 'self' blob:; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func setSafeHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), display-capture=()")
	h.Set("Cache-Control", "no-store")
}

// checkHost refuses names that another party could have pointed at this machine.
func (s *Server) checkHost(r *http.Request) *Error {
	hosts := httpserver.Hosts{Allowed: s.opt.AllowedHosts, Addresses: s.opt.AuthToken != ""}
	if !hosts.Knows(httpserver.Hostname(r.Host)) {
		return &Error{http.StatusForbidden, "this server does not answer to the request's Host"}
	}
	return nil
}

// checkRequest refuses what a page of another origin could have caused, and what has no session. The
// key travels in a header, which no form or picture of another page can set, and is kept by origin:
// cookies are sent to every port of a host.
func (s *Server) checkRequest(r *http.Request, name string) *Error {
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return &Error{http.StatusForbidden, "this server does not serve pages of the request's Origin"}
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" {
			return &Error{http.StatusForbidden, "the request's Sec-Fetch-Site says that another page caused it"}
		}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			return &Error{http.StatusUnsupportedMediaType, "the body must be application/json"}
		}
	}
	if name == loginName || name == ticketName {
		return nil
	}
	if !s.access.isKnown(r) {
		return &Error{http.StatusUnauthorized, "sign in by the address that callsheet ui prints"}
	}
	return nil
}
