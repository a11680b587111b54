package crawl

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/work/jobs"
)

// errLeaseLost says that a lease ended before its work did: somebody else has the address.
var errLeaseLost = errors.New("the lease ended, and another worker has the page")

// lease is an address that this worker has the lease of.
type lease struct {
	id, fence, depth, patternRun, hops, tries, crashes int64
	hostDelay                                          int64 // of its host, as it was when it was claimed, in milliseconds
	sitemap                                            bool
	url, host, pattern, lastmod, worker                string
}

// action is the answer to the question what to do next.
type action struct {
	lease *lease // nil: nothing now
	done  bool   // nothing ever: the job has ended
	spec  string // of the job, as it is now
}

// nextAction leases the next address that may be asked for. The least deep comes first, so that a crawl widens before it
// deepens, and hosts take turns.
func nextAction(ctx context.Context, db *jobs.DB, job, worker string) (action, error) {
	var t action
	err := db.InTx(ctx, func(ctx context.Context, tx jobs.Tx) error {
		t = action{}
		var state string
		err := tx.Row(ctx, "SELECT state, spec FROM callsheet_job WHERE id = ?", job).Scan(&state, &t.spec)
		if errors.Is(err, sql.ErrNoRows) || err == nil && state != jobs.StateRunning {
			t.done = true
			return nil
		}
		if err != nil {
			return err
		}
		if t.lease, err = leasePage(ctx, tx, job, worker); err != nil || t.lease != nil {
			return err
		}
		if freed, err := requeueExpired(ctx, tx, job); err != nil || freed > 0 {
			return err
		}
		t.done, err = finishIfDrained(ctx, tx, job)
		return err
	})
	return t, err
}

// leasePage takes an address of a host that may be asked now.
func leasePage(ctx context.Context, tx jobs.Tx, job, worker string) (*lease, error) {
	c := lease{worker: worker}
	err := tx.Row(ctx, `SELECT h.host, h.gap FROM crawl_host h WHERE h.crawl = ? AND h.free_at <= {now} AND EXISTS (
	SELECT 1 FROM crawl_page p WHERE p.crawl = h.crawl AND p.host = h.host AND p.state = 0 AND p.ready_at <= {now})
ORDER BY h.free_at, h.host LIMIT 1`, job).Scan(&c.host, &c.hostDelay)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if c.hostDelay > 0 { // for every crawl of the host: a host does not care which of them asks
		n, err := tx.Exec(ctx, "UPDATE crawl_host SET free_at = {now} + gap WHERE crawl = ? AND host = ? AND free_at <= {now}", job, c.host)
		if err != nil || n == 0 {
			return nil, err
		}
		if _, err := tx.Exec(ctx, "UPDATE crawl_host SET free_at = {now} + gap WHERE host = ? AND crawl <> ? AND free_at <= {now}", c.host, job); err != nil {
			return nil, err
		}
	}
	err = tx.Row(ctx, `SELECT id, grip, url, pattern, depth, run, hops, tries, crashes, sitemap, lastmod FROM crawl_page
WHERE crawl = ? AND host = ? AND state = 0 AND ready_at <= {now} ORDER BY depth, id LIMIT 1 {skip}`, job, c.host).
		Scan(&c.id, &c.fence, &c.url, &c.pattern, &c.depth, &c.patternRun, &c.hops, &c.tries, &c.crashes, &c.sitemap, &c.lastmod)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.fence++
	_, err = tx.Exec(ctx, "UPDATE crawl_page SET state = 1, worker = ?, grip = ? WHERE id = ?", worker, c.fence, c.id)
	return &c, err
}

// requeueExpired takes back what silent workers have.
func requeueExpired(ctx context.Context, tx jobs.Tx, job string) (int64, error) {
	return tx.Exec(ctx, "UPDATE crawl_page SET state = 0, crashes = crashes + 1 WHERE crawl = ? AND state = 1 AND "+jobs.WorkerSilent("crawl_page.worker"), job)
}

// finishIfDrained ends a job without an open address, and reports whether it has ended. New addresses only come with the
// acknowledgement of a leased one, so none can come when there is none.
func finishIfDrained(ctx context.Context, tx jobs.Tx, job string) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE callsheet_job SET state = 'done', finished = {now} WHERE id = ? AND state = 'running'
AND NOT EXISTS (SELECT 1 FROM crawl_page WHERE crawl = ? AND state = 0) AND NOT EXISTS (SELECT 1 FROM crawl_page WHERE crawl = ? AND state = 1)`, job, job, job)
	return n > 0, err
}

// release gives back a lease whose work was not done.
func release(ctx context.Context, db *jobs.DB, c *lease) error {
	_, err := db.Autocommit().Exec(ctx, "UPDATE crawl_page SET state = 0 WHERE id = ? AND state = 1 AND worker = ? AND grip = ?", c.id, c.worker, c.fence)
	return err
}

// postpone gives back a lease of an address that is to be asked for again after a pause, which counts as a try; hold has
// its host left alone as long.
func postpone(ctx context.Context, db *jobs.DB, job string, c *lease, pause time.Duration, hold bool) error {
	return db.InTx(ctx, func(ctx context.Context, tx jobs.Tx) error {
		n, err := tx.Exec(ctx, "UPDATE crawl_page SET state = 0, tries = tries + 1, ready_at = {now} + ? WHERE id = ? AND state = 1 AND worker = ? AND grip = ?",
			pause.Milliseconds(), c.id, c.worker, c.fence)
		if err != nil || n == 0 {
			return err // a lost lease is somebody else's to postpone
		}
		if hold {
			_, err = tx.Exec(ctx, "UPDATE crawl_host SET free_at = {now} + ? WHERE crawl = ? AND host = ? AND free_at < {now} + ?",
				pause.Milliseconds(), job, c.host, pause.Milliseconds())
		}
		return err
	})
}

// acknowledge records what came of an address: its result, the links found on it and its place among the results, all or
// nothing. The error is errLeaseLost when the lease had ended.
func acknowledge(ctx context.Context, db *jobs.DB, job string, spec Spec, c *lease, v reading) error {
	return db.InTx(ctx, func(ctx context.Context, tx jobs.Tx) error {
		// The job's row is locked first: acknowledgements of a crawl take turns, so that counting is exact.
		var seq, total int64
		err := tx.Row(ctx, "UPDATE callsheet_job SET done = done + 1 WHERE id = ? AND state = 'running' RETURNING done, total", job).Scan(&seq, &total)
		if errors.Is(err, sql.ErrNoRows) {
			return errLeaseLost // it was cancelled: nobody waits for this
		}
		if err != nil {
			return err
		}
		page, links := v.page, v.links
		if page.Outcome == OutcomeOK {
			if err := markDuplicate(ctx, tx, job, &page, v); err != nil {
				return err
			}
		}
		n, err := tx.Exec(ctx, "UPDATE crawl_page SET state = 2, seq = ?, outcome = ?, hash = ? WHERE id = ? AND state = 1 AND worker = ? AND grip = ?",
			seq, page.Outcome, v.hash, c.id, c.worker, c.fence)
		if err != nil {
			return err
		}
		if n == 0 {
			return errLeaseLost
		}
		if v.newOrigin != "" {
			if err := addScope(ctx, tx, job, spec, v.newOrigin); err != nil {
				return err
			}
		}
		if err := admit(ctx, tx, job, spec, c, links, total); err != nil {
			return err
		}
		return storeResult(ctx, tx, job, c, seq, page)
	})
}

// markDuplicate finds out whether the page is another one under a second address.
func markDuplicate(ctx context.Context, tx jobs.Tx, job string, page *Page, v reading) error {
	var first string
	err := tx.Row(ctx, "SELECT url FROM crawl_page WHERE crawl = ? AND hash = ? AND outcome = 'ok' ORDER BY id LIMIT 1", job, v.hash).Scan(&first)
	if err == nil {
		page.markDuplicate(first)
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) || v.canonical == "" {
		return ignoreNoRows(err)
	}
	// A page whose canonical one was itself only a pointer is kept: two that point at each other must not both go. So is
	// one whose canonical one could not be read.
	var outcome string
	var state int64
	err = tx.Row(ctx, "SELECT state, outcome FROM crawl_page WHERE crawl = ? AND key = ?", job, v.canonicalKey).Scan(&state, &outcome)
	if err != nil {
		return ignoreNoRows(err) // not in the frontier, and admit may not have room for it
	}
	if state == stateAcknowledged && outcome == OutcomeOK {
		page.markDuplicate(v.canonical)
	}
	return nil
}

func ignoreNoRows(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// addScope has the crawl follow its first page to another origin.
func addScope(ctx context.Context, tx jobs.Tx, job string, spec Spec, origin string) error {
	spec.Scope = append(spec.Scope, origin+"/**")
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE callsheet_job SET spec = ? WHERE id = ?", string(text), job)
	return err
}

// storeResult keeps the result and counts it.
func storeResult(ctx context.Context, tx jobs.Tx, job string, c *lease, seq int64, page Page) error {
	page.Seq = seq
	line, err := json.Marshal(page)
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	body, err := deflate(line)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO crawl_result (crawl, seq, page, at, body) VALUES (?, ?, ?, {now}, ?)", job, seq, c.id, body); err != nil {
		return err
	}
	if page.Outcome == OutcomeFailed {
		if _, err := tx.Exec(ctx, "UPDATE callsheet_job SET failed = failed + 1 WHERE id = ?", job); err != nil {
			return err
		}
	}
	return addCount(ctx, tx, job, page.Outcome, 1)
}

func addCount(ctx context.Context, tx jobs.Tx, job, what string, n int64) error {
	_, err := tx.Exec(ctx, "INSERT INTO crawl_count (crawl, what, n) VALUES (?, ?, ?) ON CONFLICT (crawl, what) DO UPDATE SET n = crawl_count.n + excluded.n", job, what, n)
	return err
}

// deflaters are used again: the tables of one are a megabyte, which a page of some kilobytes would pay for.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is one
	return w
}}

func deflate(line []byte) ([]byte, error) {
	var b bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	if _, err := w.Write(line); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func inflate(body []byte) ([]byte, error) {
	line, err := io.ReadAll(flate.NewReader(bytes.NewReader(body)))
	if err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	return line, nil
}
