package crawl

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// robotsFile is the response to a request for robots.txt, as the database stores it for every
// worker of a crawl.
type robotsFile struct {
	Status int    `json:"status"`
	Body   string `json:"body,omitempty"`
}

// rules parses the file. A missing file allows everything.
func (f robotsFile) rules() *rules {
	if f.Status < 200 || f.Status >= 300 {
		return &rules{}
	}
	return parseRules(f.Body)
}

// robotsUnreachableError is a failed request for robots.txt. Until one succeeds, every address of
// the host is forbidden.
type robotsUnreachableError struct{ cause error }

func (u robotsUnreachableError) Error() string {
	return "robots.txt could not be read: " + u.cause.Error()
}
func (u robotsUnreachableError) Unwrap() error { return u.cause }

// robotsRedirects is the number of redirects that a robots.txt may have (RFC 9309, 2.3.1.2).
const robotsRedirects = 5

// fetchRobots requests the robots.txt of an origin.
func fetchRobots(ctx context.Context, client *http.Client, origin string) (robotsFile, error) {
	address := origin + "/robots.txt"
	for range 1 + robotsRedirects {
		a, err := fetch(ctx, client, question{address, acceptPages, maxRobotsBytes, anyKind})
		if err != nil {
			return robotsFile{}, robotsUnreachableError{err}
		}
		if isTransient(a.status) || a.status >= 500 {
			return robotsFile{}, robotsUnreachableError{fault.New(codes.Failed, fmt.Sprintf("status %d", a.status))}
		}
		if a.location == "" {
			if a.status >= 300 && a.status < 400 {
				a.status = http.StatusNotFound
			}
			body := strings.ReplaceAll(strings.ToValidUTF8(string(a.body), ""), "\x00", "") // which Postgres cannot store
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

// robotsCache caches the rules of the hosts of one crawl, in one process.
type robotsCache struct {
	mu       sync.Mutex
	rules    map[string]*rules
	requests map[string]*robotsRequest
}

// robotsRequest is a request for the rules of a host that one worker sends and others wait for.
type robotsRequest struct {
	done      chan struct{} // closed when rules and err are set
	rules     *rules
	err       error
	cancelled bool // the ctx of the worker ended, so another one has to send a request
}

func newRobotsCache() *robotsCache {
	return &robotsCache{rules: make(map[string]*rules), requests: make(map[string]*robotsRequest)}
}

// cached returns the rules of a host, or nil.
func (c *robotsCache) cached(host string) *rules {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rules[host]
}

// find returns the rules of a host: from the cache, or else by calling lookUp. One worker of a
// process looks up; the others wait for its result, also for its error. requested reports whether
// this worker has just sent a request to the host.
func (c *robotsCache) find(ctx context.Context, lookUp func() (*rules, bool, error), host string) (r *rules, requested bool, err error) {
	for {
		c.mu.Lock()
		r, a := c.rules[host], c.requests[host]
		first := r == nil && a == nil
		if first {
			a = &robotsRequest{done: make(chan struct{})}
			c.requests[host] = a
		}
		c.mu.Unlock()
		if r != nil {
			return r, false, nil
		}
		if first {
			return c.request(ctx, a, lookUp, host)
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

// request finds the rules on behalf of every worker that waits for them.
func (c *robotsCache) request(ctx context.Context, a *robotsRequest, lookUp func() (*rules, bool, error), host string) (r *rules, requested bool, err error) {
	a.cancelled = true // until find returns
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.requests, host)
		if a.rules != nil {
			if len(c.rules) > 2000 { // the database has them too
				clear(c.rules)
			}
			c.rules[host] = a.rules
		}
		close(a.done)
	}()
	r, requested, err = lookUp()
	a.rules, a.err, a.cancelled = r, err, ctx.Err() != nil
	return r, requested, err
}

// findRules returns the rules of a host from the database, or else requests them and stores them
// with the delay that they ask for. requested reports whether it sent a request.
func (w *worker) findRules(ctx context.Context, host, origin string) (r *rules, requested bool, err error) {
	var stored sql.NullString
	err = w.db.Autocommit().Row(ctx, "SELECT robots FROM crawl_host WHERE crawl = ? AND host = ?", w.job, host).Scan(&stored)
	if ignoreNoRows(err) != nil {
		return nil, false, err
	}
	var file robotsFile
	if stored.Valid && json.Unmarshal([]byte(stored.String), &file) == nil {
		return file.rules(), false, nil
	}
	if file, err = fetchRobots(ctx, w.client, origin); err != nil {
		return nil, true, err
	}
	text, err := json.Marshal(file)
	if err != nil {
		return nil, true, err
	}
	r = file.rules()
	delay := r.delay.Milliseconds()
	_, err = w.db.Autocommit().Exec(ctx, `UPDATE crawl_host SET robots = ?, free_at = CASE WHEN gap < ? THEN {now} + ? ELSE free_at END,
gap = CASE WHEN gap < ? THEN ? ELSE gap END WHERE crawl = ? AND host = ?`, string(text), delay, delay, delay, delay, w.job, host)
	return r, true, err
}
