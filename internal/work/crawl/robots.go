package crawl

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/work/jobs"
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

// robotsUnreachableError is the error of a robots.txt that could not be asked for: until it can, everything is forbidden.
type robotsUnreachableError struct{ cause error }

func (u robotsUnreachableError) Error() string {
	return "robots.txt could not be read: " + u.cause.Error()
}
func (u robotsUnreachableError) Unwrap() error { return u.cause }

// fetchRobots asks an origin for its robots.txt, following redirects as RFC 9309 demands.
func fetchRobots(ctx context.Context, client *http.Client, origin string) (robotsFile, error) {
	address := origin + "/robots.txt"
	for range 6 {
		a, err := fetch(ctx, client, address, maxRobotsBytes, func(string) bool { return true })
		if err != nil {
			return robotsFile{}, robotsUnreachableError{err}
		}
		if isTransient(a.status) || a.status >= 500 {
			return robotsFile{}, robotsUnreachableError{fmt.Errorf("status %d", a.status)}
		}
		if a.location == "" {
			if a.status >= 300 && a.status < 400 {
				a.status = http.StatusNotFound
			}
			body := strings.ReplaceAll(strings.ToValidUTF8(string(a.body), ""), "\x00", "") // which Postgres does not keep
			return robotsFile{Status: a.status, Body: body}, nil
		}
		next, err := NewCanonicalizer(false).Resolve(address, a.location)
		if err != nil {
			break
		}
		address = next.URL
	}
	return robotsFile{Status: http.StatusNotFound}, nil // too many redirects count as no file
}

// robotsCache has the rules of the hosts of one crawl, in one process.
type robotsCache struct {
	mu       sync.Mutex
	rules    map[string]*rules
	requests map[string]*robotsRequest
}

// robotsRequest is a question for the rules of a host that a hand is after.
type robotsRequest struct {
	done      chan struct{} // closed when the rest is there
	rules     *rules
	err       error
	cancelled bool // the hand's time ended; somebody else is to ask
}

func newRobotsCache() *robotsCache {
	return &robotsCache{rules: make(map[string]*rules), requests: make(map[string]*robotsRequest)}
}

// cached is what is known of a host without asking; nil is nothing.
func (c *robotsCache) cached(host string) *rules {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rules[host]
}

// of finds the rules of a host: here, in the database, or at the host. One hand of a process asks, and the others get its
// answer, also that there is none. asked reports whether the host has just been asked, by this hand.
func (c *robotsCache) find(ctx context.Context, find func() (*rules, bool, error), host string) (r *rules, asked bool, err error) {
	for {
		c.mu.Lock()
		r, a := c.rules[host], c.requests[host]
		mine := r == nil && a == nil
		if mine {
			a = &robotsRequest{done: make(chan struct{})}
			c.requests[host] = a
		}
		c.mu.Unlock()
		if r != nil {
			return r, false, nil
		}
		if mine {
			return c.request(ctx, a, find, host)
		}
		select {
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		case <-a.done:
		}
		if !a.cancelled {
			return a.rules, false, a.err
		}
	}
}

// request puts the question, for all who wait for its answer.
func (c *robotsCache) request(ctx context.Context, a *robotsRequest, find func() (*rules, bool, error), host string) (r *rules, asked bool, err error) {
	a.cancelled = true // unless it is answered
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.requests, host)
		if a.rules != nil {
			if len(c.rules) > 2000 { // the database has them all
				clear(c.rules)
			}
			c.rules[host] = a.rules
		}
		close(a.done)
	}()
	r, asked, err = find()
	a.rules, a.err, a.cancelled = r, err, ctx.Err() != nil
	return r, asked, err
}

// findRules looks for the rules of a host in the database, and else asks the host, which has the database know its delay.
func findRules(ctx context.Context, db *jobs.DB, client *http.Client, job, host, origin string) (r *rules, asked bool, err error) {
	var kept sql.NullString
	err = db.Autocommit().Row(ctx, "SELECT robots FROM crawl_host WHERE crawl = ? AND host = ?", job, host).Scan(&kept)
	if ignoreNoRows(err) != nil {
		return nil, false, err
	}
	var file robotsFile
	if kept.Valid && json.Unmarshal([]byte(kept.String), &file) == nil {
		return file.rules(), false, nil
	}
	if file, err = fetchRobots(ctx, client, origin); err != nil {
		return nil, true, err
	}
	text, err := json.Marshal(file)
	if err != nil {
		return nil, true, err
	}
	r = file.rules()
	gap := r.delay.Milliseconds()
	_, err = db.Autocommit().Exec(ctx, `UPDATE crawl_host SET robots = ?, free_at = CASE WHEN gap < ? THEN {now} + ? ELSE free_at END,
gap = CASE WHEN gap < ? THEN ? ELSE gap END WHERE crawl = ? AND host = ?`, string(text), gap, gap, gap, gap, job, host)
	return r, true, err
}
