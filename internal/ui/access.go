package ui

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
)

// The requests that need no session, the cookie of one and the header of its key.
const (
	loginName  = "login"
	ticketName = "ticket"
	cookieName = "callsheet_ui"
	keyHeader  = "X-Callsheet-Key"
)

// ticketTime is the time for which a ticket can be used, sessionTime how long a session may rest between two
// requests. maxTickets and maxSessions bound both; the oldest goes first.
const (
	ticketTime  = 5 * time.Minute
	sessionTime = 12 * time.Hour
	maxTickets  = 16
	maxSessions = 32
)

// access authenticates users of the ui: tickets that become sessions once, and sessions by the digests of
// their cookies.
type access struct {
	authToken string

	mu       sync.Mutex
	tickets  []ticket
	sessions []*uiSession // by age
}

type ticket struct {
	digest [sha256.Size]byte
	at     time.Time
}

// uiSession is one signed-in browser. key is the digest of what its page sends beside the cookie.
type uiSession struct {
	cookie, key [sha256.Size]byte
	usedAt      time.Time
}

func newAccess(authToken string) *access { return &access{authToken: authToken} }

func digest(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

func same(a, b [sha256.Size]byte) bool { return subtle.ConstantTimeCompare(a[:], b[:]) == 1 }

func (a *access) addTicket() string {
	text := rand.Text()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.tickets) == maxTickets {
		a.tickets = a.tickets[1:]
	}
	a.tickets = append(a.tickets, ticket{digest(text), time.Now()})
	return text
}

// isPending reports whether a ticket can still be used.
func (a *access) isPending(ticket string) bool {
	want := digest(ticket)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tickets {
		if same(t.digest, want) {
			return time.Since(t.at) < ticketTime
		}
	}
	return false
}

// takes reports whether a token lets its sender in: a ticket, once, or the bearer token.
func (a *access) takes(token string) bool {
	want := digest(token)
	if a.authToken != "" && same(want, digest(a.authToken)) {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, t := range a.tickets {
		if same(t.digest, want) {
			a.tickets = append(a.tickets[:i:i], a.tickets[i+1:]...)
			return time.Since(t.at) < ticketTime
		}
	}
	return false
}

// open makes a session and returns its cookie and its key.
func (a *access) open() (cookie, key string) {
	cookie, key = rand.Text(), rand.Text()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.sessions) == maxSessions {
		a.sessions = a.sessions[1:]
	}
	a.sessions = append(a.sessions, &uiSession{cookie: digest(cookie), key: digest(key), usedAt: time.Now()})
	return cookie, key
}

// isKnown reports whether a request has the cookie and the key of a session. A browser may send the
// cookies of several servers of this host.
func (a *access) isKnown(r *http.Request) bool {
	key := digest(r.Header.Get(keyHeader))
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range r.CookiesNamed(cookieName) {
		cookie := digest(c.Value)
		for _, s := range a.sessions {
			if same(s.cookie, cookie) && same(s.key, key) && now.Sub(s.usedAt) < sessionTime {
				s.usedAt = now
				return true
			}
		}
	}
	return false
}

// close ends the session of a request.
func (a *access) close(r *http.Request) {
	key := digest(r.Header.Get(keyHeader))
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, s := range a.sessions {
		if same(s.key, key) {
			a.sessions = append(a.sessions[:i:i], a.sessions[i+1:]...)
			return
		}
	}
}

// newCookie returns the cookie of a session; a negative age in seconds removes it. On loopback there is no TLS, and Secure
// would keep the cookie from being stored. A proxy with TLS says so by the scheme (httpserver.Proxies).
func newCookie(r *http.Request, value string, age int) *http.Cookie {
	secure := r.TLS != nil || r.URL.Scheme == "https"
	return &http.Cookie{Name: cookieName, Value: value, MaxAge: age, Path: Path, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: secure} //nolint:gosec // G124: see above
}

// registerAccess adds the requests by which a person signs in and out.
func (s *Server) registerAccess() {
	s.api.HandleFunc("POST "+apiPath+loginName, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Token string `json:"token"`
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&in); err != nil || in.Token == "" || !s.access.takes(in.Token) {
			(&Error{http.StatusUnauthorized, "this address was used or is too old: run callsheet ui again"}).write(w)
			return
		}
		cookie, key := s.access.open()
		http.SetCookie(w, newCookie(r, cookie, 0))
		writeJSON(w, map[string]string{"key": key})
	})
	s.api.HandleFunc("POST "+apiPath+"logout", func(w http.ResponseWriter, r *http.Request) {
		s.access.close(r)
		http.SetCookie(w, newCookie(r, "", -1))
		writeJSON(w, struct{}{})
	})
	s.api.HandleFunc("POST "+apiPath+ticketName, s.sendTicket)
}

// sendTicket gives callsheet ui a ticket. Programs ask for one, and no page: a browser says which page
// asks. The bearer token, or else the right to read the file, proves that the operator runs the program.
func (s *Server) sendTicket(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		(&Error{http.StatusForbidden, "no page is given a ticket"}).write(w)
		return
	}
	if s.opt.AuthToken != "" {
		if !same(digest(httpserver.BearerToken(r)), digest(s.opt.AuthToken)) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			(&Error{http.StatusUnauthorized, "a bearer token is required"}).write(w)
			return
		}
		writeJSON(w, map[string]string{"ticket": s.Ticket()})
		return
	}
	name, err := s.file.write(s.access)
	if err != nil {
		(&Error{http.StatusInternalServerError, err.Error()}).write(w)
		return
	}
	writeJSON(w, map[string]string{"file": name})
}
