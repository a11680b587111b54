package crawl

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// errLeaseLost is the error of a lease that expired before its work was done: another worker may
// have the address.
var errLeaseLost = fault.New(codes.Failed, "the lease expired, and another worker has the page")

// lease is an address that this process has leased.
type lease struct {
	id, fence, depth, patternRun, hops, tries, crashes int64
	hostDelay                                          int64 // of its host when it was leased, in milliseconds
	sitemap                                            bool
	url, host, pattern, lastmod, worker                string
}

// action is the next action of a worker.
type action struct {
	lease *lease // nil: no address may be requested now
	done  bool   // the job has ended
	spec  string // of the job, as it is now
}

// nextAction leases the next address that may be requested. The address of the least depth comes
// first, so that a crawl widens before it deepens; hosts alternate.
func nextAction(ctx context.Context, db *jobs.DB, job, worker string) (action, error) {
	var a action
	err := db.InTx(ctx, func(ctx context.Context, tx jobs.Tx) error {
		a = action{}
		var err error
		a.spec, err = tx.JobSpec(ctx, job)
		if errors.Is(err, jobs.ErrEnded) {
			a.done = true
			return nil
		}
		if err != nil {
			return err
		}
		if a.lease, err = leasePage(ctx, tx, job, worker); err != nil || a.lease != nil {
			return err
		}
		if requeued, err := requeueExpired(ctx, tx, job); err != nil || requeued > 0 {
			return err
		}
		a.done, err = finishIfDrained(ctx, tx, job)
		return err
	})
	return a, err
}

// leasePage leases an address of a host that may be requested now; nil without such an address.
func leasePage(ctx context.Context, tx jobs.Tx, job, worker string) (*lease, error) {
	l := lease{worker: worker}
	err := tx.Row(ctx, `SELECT h.host, h.gap FROM crawl_host h WHERE h.crawl = ? AND `+jobs.Due("h.free_at")+` AND EXISTS (
	SELECT 1 FROM crawl_page p WHERE p.crawl = h.crawl AND p.host = h.host AND p.state = `+stateQueued+` AND `+jobs.Due("p.ready_at")+`)
ORDER BY h.free_at, h.host LIMIT 1`, job).Scan(&l.host, &l.hostDelay)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if l.hostDelay > 0 {
		if held, err := holdHost(ctx, tx, job, l.host); err != nil || !held {
			return nil, err
		}
	}
	err = tx.Row(ctx, `SELECT id, grip, url, pattern, depth, run, hops, tries, crashes, sitemap, lastmod FROM crawl_page
WHERE crawl = ? AND host = ? AND state = `+stateQueued+` AND `+jobs.Due("ready_at")+` ORDER BY depth, id LIMIT 1 {skip}`, job, l.host).
		Scan(&l.id, &l.fence, &l.url, &l.pattern, &l.depth, &l.patternRun, &l.hops, &l.tries, &l.crashes, &l.sitemap, &l.lastmod)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l.fence++
	_, err = tx.Exec(ctx, "UPDATE crawl_page SET state = "+stateLeased+", worker = ?, grip = ? WHERE id = ?", worker, l.fence, l.id)
	return &l, err
}

// holdHost starts the delay of a host in every crawl, since the host sees one client. It reports
// false if another worker was first.
func holdHost(ctx context.Context, tx jobs.Tx, job, host string) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE crawl_host SET free_at = {now} + gap WHERE crawl = ? AND host = ? AND "+jobs.Due("free_at"), job, host)
	if err != nil || n == 0 {
		return false, err
	}
	_, err = tx.Exec(ctx, "UPDATE crawl_host SET free_at = {now} + gap WHERE host = ? AND crawl <> ? AND "+jobs.Due("free_at"), host, job)
	return err == nil, err
}

// requeueExpired queues the addresses whose worker has fallen silent, and returns how many there
// were.
func requeueExpired(ctx context.Context, tx jobs.Tx, job string) (int64, error) {
	return tx.Exec(ctx, "UPDATE crawl_page SET state = "+stateQueued+", crashes = crashes + 1 WHERE crawl = ? AND state = "+stateLeased+
		" AND "+jobs.WorkerSilent("crawl_page.worker"), job)
}

// finishIfDrained finishes a job without a queued or leased address, and reports whether the job
// has ended. Only the acknowledgement of a leased address adds new ones, so a drained frontier
// stays drained.
func finishIfDrained(ctx context.Context, tx jobs.Tx, job string) (bool, error) {
	var open bool
	err := tx.Row(ctx, `SELECT EXISTS (SELECT 1 FROM crawl_page WHERE crawl = ? AND state = `+stateQueued+`)
OR EXISTS (SELECT 1 FROM crawl_page WHERE crawl = ? AND state = `+stateLeased+`)`, job, job).Scan(&open)
	if err != nil || open {
		return false, err
	}
	err = tx.FinishJob(ctx, job)
	if errors.Is(err, jobs.ErrEnded) {
		err = nil
	}
	return err == nil, err
}

// held is the condition under which a lease is still this process's. Its parameters are those of
// lease.key.
const held = " WHERE id = ? AND state = " + stateLeased + " AND worker = ? AND grip = ?"

// key returns the parameters of held after args.
func (l *lease) key(args ...any) []any { return append(args, l.id, l.worker, l.fence) }

// release queues a leased address again. A lost lease is no error.
func release(ctx context.Context, db *jobs.DB, l *lease) error {
	_, err := db.Autocommit().Exec(ctx, "UPDATE crawl_page SET state = "+stateQueued+held, l.key()...)
	return err
}

// postpone queues a leased address again after a pause, which counts as a try. With holdHost set,
// its host pauses as long. A lost lease is no error.
func (w *worker) postpone(ctx context.Context, l *lease, pause time.Duration, holdHost bool) error {
	return w.db.InTx(ctx, func(ctx context.Context, tx jobs.Tx) error {
		n, err := tx.Exec(ctx, "UPDATE crawl_page SET state = "+stateQueued+", tries = tries + 1, ready_at = {now} + ?"+held,
			l.key(pause.Milliseconds())...)
		if err != nil || n == 0 || !holdHost {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE crawl_host SET free_at = {now} + ? WHERE crawl = ? AND host = ? AND free_at < {now} + ?",
			pause.Milliseconds(), w.job, l.host, pause.Milliseconds())
		return err
	})
}

// acknowledge records the reading of an address: its result, the links found on it and its place
// among the results, all or nothing. The error is errLeaseLost when the lease or the job had ended.
func (w *worker) acknowledge(ctx context.Context, l *lease, v reading) error {
	return w.db.InTx(ctx, func(ctx context.Context, tx jobs.Tx) error {
		seq, total, err := tx.CompleteStep(ctx, w.job) // first, so that acknowledgements of a crawl are serial and counts exact
		if errors.Is(err, jobs.ErrEnded) {
			return errLeaseLost
		}
		if err != nil {
			return err
		}
		page := v.page
		page.Seq = seq
		if page.Outcome == OutcomeOK {
			if err := markDuplicate(ctx, tx, w.job, &page, v); err != nil {
				return err
			}
		}
		n, err := tx.Exec(ctx, "UPDATE crawl_page SET state = "+stateAcknowledged+", seq = ?, outcome = ?, hash = ?"+held,
			l.key(seq, page.Outcome, v.hash)...)
		if err != nil {
			return err
		}
		if n == 0 {
			return errLeaseLost
		}
		if v.newOrigin != "" {
			if err := addScope(ctx, tx, w.job, w.spec, v.newOrigin); err != nil {
				return err
			}
		}
		join := admission{tx: tx, job: w.job, spec: w.spec, total: total}
		if err := join.admit(ctx, v.links, l.id); err != nil {
			return err
		}
		return storeResult(ctx, tx, w.job, l, page)
	})
}

// markDuplicate marks the page if an acknowledged address has the same content.
func markDuplicate(ctx context.Context, tx jobs.Tx, job string, page *Page, v reading) error {
	var first string
	err := tx.Row(ctx, "SELECT url FROM crawl_page WHERE crawl = ? AND hash = ? AND outcome = '"+OutcomeOK+"' ORDER BY id LIMIT 1", job, v.hash).
		Scan(&first)
	if err == nil {
		page.markDuplicate(first)
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) || v.canonical == "" {
		return ignoreNoRows(err)
	}
	// The page stays if its canonical page is a duplicate or could not be read: of two pages that
	// name each other, one stays.
	var outcome, state string
	err = tx.Row(ctx, "SELECT state, outcome FROM crawl_page WHERE crawl = ? AND key = ?", job, v.canonicalKey).Scan(&state, &outcome)
	if err != nil {
		return ignoreNoRows(err) // not in the frontier, and admit may have no room for it
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

// addScope extends the crawl to the origin that its first page redirects to.
func addScope(ctx context.Context, tx jobs.Tx, job string, spec Spec, origin string) error {
	spec.Scope = append(spec.Scope, origin+"/**")
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return tx.SetJobSpec(ctx, job, string(text))
}
