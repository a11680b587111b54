package ui

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// Path is the prefix of everything that a Server serves; apiPath that of its requests.
const (
	Path    = "/ui/"
	apiPath = Path + "api/"
)

// Options say who may use a Server. The zero value serves loopback names alone.
type Options struct {
	// AuthToken is the bearer token of the HTTP server; "" means none. With one, a ticket needs it, a
	// person may sign in by it, and Host may be any IP address.
	AuthToken string
	// AllowedHosts are host names to answer to beside those of loopback, without ports.
	AllowedHosts []string
	// TicketDirectory is the private directory of this user in which a ticket is written where no AuthToken proves
	// who asks; "" refuses such requests.
	TicketDirectory string
	// Version is the version of the program.
	Version string
}

// Server serves the ui. It is an http.Handler for the paths below Path, and starts nothing.
type Server struct {
	opt    Options
	access *access
	file   *ticketFile
	api    *http.ServeMux
	static http.Handler
	views  []string

	end context.CancelFunc
}

// View registers the requests of one view.
type View func(*API)

// New returns a server with these views.
func New(opt Options, views ...View) *Server {
	s := &Server{opt: opt, access: newAccess(opt.AuthToken), file: newTicketFile(opt.TicketDirectory), api: http.NewServeMux(), static: staticFiles()}
	all := &streams{topics: make(map[string]Follower)}
	all.ending, s.end = context.WithCancel(context.Background())
	s.registerAccess()
	s.api.HandleFunc("GET "+apiPath+"stream", all.serveTopics)
	api := &API{mux: s.api, streams: all}
	for _, register := range views {
		register(api)
	}
	s.views = slices.Sorted(slices.Values(api.views))
	api.Get("server", func(*http.Request) (any, error) {
		return map[string]any{"version": opt.Version, "views": s.views}, nil
	})
	return s
}

// ServeHTTP serves a file, or a request to the interface. Requests pass the guard first, and those to
// the interface need a cookie and its key.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setSafeHeaders(w.Header())
	if refusal := s.checkHost(r); refusal != nil {
		refusal.write(w)
		return
	}
	name, isAPI := strings.CutPrefix(r.URL.Path, apiPath)
	if !isAPI {
		s.static.ServeHTTP(w, r)
		return
	}
	if refusal := s.checkRequest(r, name); refusal != nil {
		refusal.write(w)
		return
	}
	s.api.ServeHTTP(w, r)
}

// Ticket returns a new one-time token. Who sends it within ticketTime may use the Server.
func (s *Server) Ticket() string { return s.access.addTicket() }

// Close ends the streams of events, which would keep the HTTP server from ending in order, and removes the file of
// tickets.
func (s *Server) Close() {
	s.end()
	s.file.remove()
}
