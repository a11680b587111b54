package crawl

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/jobs"
)

// robotsFile is a robots.txt as it was answered; it is kept for every worker of a crawl.
type robotsFile struct {
	Status int    `json:"status"`
	Body   string `json:"body,omitempty"`
}

// rules reads the file; no file allows everything.
func (f robotsFile) rules() *rules {
	if f.Status < 200 || f.Status >= 300 {
		return &rules{}
	}
	return parseRules(f.Body)
}

// unreachable is the error of a robots.txt that could not be asked for: until it can, everything is forbidden.
type unreachable struct{ err error }

func (u unreachable) Error() string { return "robots.txt could not be read: " + u.err.Error() }
func (u unreachable) Unwrap() error { return u.err }

// fetchRobots asks an origin for its robots.txt, following redirects as RFC 9309 demands.
func fetchRobots(ctx context.Context, client *http.Client, origin string) (robotsFile, error) {
	address := origin + "/robots.txt"
	for range 6 {
		a, err := fetch(ctx, client, address, robotsBytes, func(string) bool { return true })
		if err != nil {
			return robotsFile{}, unreachable{err}
		}
		if passing(a.status) || a.status >= 500 {
			return robotsFile{}, unreachable{fmt.Errorf("status %d", a.status)}
		}
		if a.location == "" {
			if a.status >= 300 && a.status < 400 {
				a.status = http.StatusNotFound
			}
			body := strings.ReplaceAll(strings.ToValidUTF8(string(a.body), ""), "\x00", "") // which Postgres does not keep
			return robotsFile{Status: a.status, Body: body}, nil
		}
		next, err := NewCanon(false).Resolve(address, a.location)
		if err != nil {
			break
		}
		address = next.URL
	}
	return robotsFile{Status: http.StatusNotFound}, nil // too many redirects count as no file
}

// robotsCache has the rules of the hosts of one crawl, in one process.
type robotsCache struct {
	mu    sync.Mutex
	known map[string]*rules
	asks  map[string]*sync.Mutex
}

func newRobotsCache() *robotsCache {
	return &robotsCache{known: make(map[string]*rules), asks: make(map[string]*sync.Mutex)}
}

// get is what is known of a host without asking; nil is nothing.
func (c *robotsCache) get(host string) *rules {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[host]
}

func (c *robotsCache) put(host string, r *rules) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) > 2000 { // the database has them all
		clear(c.known)
	}
	c.known[host] = r
}

// of finds the rules of a host: here, in the database, or at the host. One hand of a process asks.
func (c *robotsCache) of(ctx context.Context, db *jobs.DB, client *http.Client, job, host, origin string) (*rules, error) {
	if r := c.get(host); r != nil {
		return r, nil
	}
	c.mu.Lock()
	ask := c.asks[host]
	if ask == nil {
		ask = new(sync.Mutex)
		c.asks[host] = ask
	}
	c.mu.Unlock()
	ask.Lock()
	defer ask.Unlock()
	if r := c.get(host); r != nil {
		return r, nil
	}
	var kept sql.NullString
	err := db.Read().Row(ctx, "SELECT robots FROM crawl_host WHERE crawl = ? AND host = ?", job, host).Scan(&kept)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	var file robotsFile
	if !kept.Valid || json.Unmarshal([]byte(kept.String), &file) != nil {
		if file, err = fetchRobots(ctx, client, origin); err != nil {
			return nil, err
		}
		text, err := json.Marshal(file)
		if err != nil {
			return nil, err
		}
		gap := file.rules().delay.Milliseconds()
		if _, err := db.Read().Exec(ctx, `UPDATE crawl_host SET robots = ?, free_at = CASE WHEN gap < ? THEN {now} + ? ELSE free_at END,
gap = CASE WHEN gap < ? THEN ? ELSE gap END WHERE crawl = ? AND host = ?`, string(text), gap, gap, gap, gap, job, host); err != nil {
			return nil, err
		}
	}
	r := file.rules()
	c.put(host, r)
	return r, nil
}
