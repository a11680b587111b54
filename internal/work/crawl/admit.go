package crawl

import (
	"context"
	"strings"

	"github.com/callsheet/callsheet/internal/work/jobs"
)

// candidate is an address that is to join the frontier.
type candidate struct {
	Address
	depth, patternRun, hops int64
	sitemap                 bool
	lastmod                 string
}

// Names of counts that are no outcomes of pages.
const (
	countOverPages = "beyond max_pages"
	countOverHost  = "beyond the host's share"
	countTrap      = "trap"
	countSitemaps  = "sitemaps"
)

// insertBatch is how many addresses a statement has.
const insertBatch = 100

// admit puts addresses into the frontier that are not there, within the crawl's budgets. The job's row is locked.
func admit(ctx context.Context, tx jobs.Tx, job string, spec Spec, from *lease, all []candidate, total int64) error {
	added := int64(0)
	for len(all) > 0 {
		part := all[:min(insertBatch, len(all))]
		all = all[len(part):]
		fresh, err := dropKnown(ctx, tx, job, part)
		if err != nil {
			return err
		}
		if fresh, err = limitPatterns(ctx, tx, job, spec, fresh); err != nil {
			return err
		}
		if fresh, err = limitPages(ctx, tx, job, spec, fresh, total+added); err != nil {
			return err
		}
		if fresh, err = limitHosts(ctx, tx, job, spec, fresh); err != nil {
			return err
		}
		if err := insertPages(ctx, tx, job, from, fresh); err != nil {
			return err
		}
		added += int64(len(fresh))
	}
	if added == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, "UPDATE callsheet_job SET total = total + ? WHERE id = ?", added, job)
	return err
}

// dropKnown leaves out what is in the frontier, once each. What waits there and was found by a shorter way now, moves up.
func dropKnown(ctx context.Context, tx jobs.Tx, job string, part []candidate) ([]candidate, error) {
	byKey := make(map[string]candidate, len(part))
	order := make([]string, 0, len(part))
	args := []any{job}
	for _, e := range part {
		key := e.Key()
		before, twice := byKey[key]
		if !twice {
			order = append(order, key)
			args = append(args, key)
		}
		if !twice || e.depth < before.depth {
			byKey[key] = e
		}
	}
	rows, err := tx.Query(ctx, "SELECT key, depth, state FROM crawl_page WHERE crawl = ? AND key IN (?"+strings.Repeat(", ?", len(order)-1)+")", args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	known := make(map[string]bool)
	var nearer []string
	for rows.Next() {
		var key string
		var depth, state int64
		if err := rows.Scan(&key, &depth, &state); err != nil {
			return nil, err
		}
		known[key] = true
		if state == stateQueued && depth > byKey[key].depth {
			nearer = append(nearer, key)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	_ = rows.Close() // the statements below need the connection
	for _, key := range nearer {
		e := byKey[key]
		if _, err := tx.Exec(ctx, "UPDATE crawl_page SET depth = ?, run = ? WHERE crawl = ? AND key = ? AND state = 0", e.depth, e.patternRun, job, key); err != nil {
			return nil, err
		}
	}
	fresh := make([]candidate, 0, len(order))
	for _, key := range order {
		if !known[key] {
			fresh = append(fresh, byKey[key])
		}
	}
	return fresh, nil
}

// limitPatterns counts the addresses that only addresses of their own pattern lead to, and leaves out what is too many.
func limitPatterns(ctx context.Context, tx jobs.Tx, job string, spec Spec, fresh []candidate) ([]candidate, error) {
	out := fresh[:0:0]
	dropped := int64(0)
	for _, e := range fresh {
		if e.patternRun <= freePatternRun {
			out = append(out, e)
			continue
		}
		var pages int64
		if err := tx.Row(ctx, "SELECT pages FROM crawl_pattern WHERE crawl = ? AND pattern = ?", job, e.pattern).Scan(&pages); ignoreNoRows(err) != nil {
			return nil, err
		}
		column := "pages"
		if pages >= spec.PerPattern {
			column = "dropped"
			dropped++
		} else {
			out = append(out, e)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO crawl_pattern (crawl, pattern, pages, dropped) VALUES (?, ?, ?, ?) ON CONFLICT (crawl, pattern) DO UPDATE SET "+
			column+" = crawl_pattern."+column+" + 1", job, e.pattern, boolInt(column == "pages"), boolInt(column == "dropped")); err != nil {
			return nil, err
		}
	}
	if dropped > 0 {
		return out, addCount(ctx, tx, job, countTrap, dropped)
	}
	return out, nil
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// limitPages leaves out what is more than the crawl may have. A sitemap is no page.
func limitPages(ctx context.Context, tx jobs.Tx, job string, spec Spec, fresh []candidate, total int64) ([]candidate, error) {
	var maps int64
	if len(spec.Sitemaps) > 0 {
		if err := tx.Row(ctx, "SELECT n FROM crawl_count WHERE crawl = ? AND what = ?", job, countSitemaps).Scan(&maps); ignoreNoRows(err) != nil {
			return nil, err
		}
	}
	room, found := spec.MaxPages-(total-maps), int64(0)
	out := fresh[:0:0]
	for _, e := range fresh {
		switch {
		case e.sitemap:
			found++
		case room <= 0:
			continue
		default:
			room--
		}
		out = append(out, e)
	}
	if found > 0 {
		if err := addCount(ctx, tx, job, countSitemaps, found); err != nil {
			return nil, err
		}
	}
	if beyond := int64(len(fresh) - len(out)); beyond > 0 {
		return out, addCount(ctx, tx, job, countOverPages, beyond)
	}
	return out, nil
}

// limitHosts enters the hosts, and leaves out what is more than a host may have.
func limitHosts(ctx context.Context, tx jobs.Tx, job string, spec Spec, fresh []candidate) ([]candidate, error) {
	asked := make(map[string]int64)
	for _, e := range fresh {
		asked[e.Host]++
	}
	room := make(map[string]int64)
	for host, n := range asked {
		if spec.PerHost > 0 {
			var pages int64
			if err := tx.Row(ctx, "SELECT pages FROM crawl_host WHERE crawl = ? AND host = ?", job, host).Scan(&pages); ignoreNoRows(err) != nil {
				return nil, err
			}
			n = min(n, max(0, spec.PerHost-pages))
			if n < asked[host] {
				if err := addCount(ctx, tx, job, countOverHost, asked[host]-n); err != nil {
					return nil, err
				}
			}
		}
		room[host] = n
		if _, err := tx.Exec(ctx, "INSERT INTO crawl_host (crawl, host, gap, pages) VALUES (?, ?, ?, ?) ON CONFLICT (crawl, host) DO UPDATE SET pages = crawl_host.pages + excluded.pages",
			job, host, spec.DelayMS, n); err != nil {
			return nil, err
		}
	}
	out := fresh[:0:0]
	for _, e := range fresh {
		if room[e.Host]--; room[e.Host] >= 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

func insertPages(ctx context.Context, tx jobs.Tx, job string, from *lease, fresh []candidate) error {
	if len(fresh) == 0 {
		return nil
	}
	origin := int64(0)
	if from != nil {
		origin = from.id
	}
	var args []any
	for _, e := range fresh {
		args = append(args, job, e.Key(), e.URL, e.Host, e.pattern, origin, e.depth, e.patternRun, e.hops, boolInt(e.sitemap), e.lastmod)
	}
	const row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	_, err := tx.Exec(ctx, "INSERT INTO crawl_page (crawl, key, url, host, pattern, origin, depth, run, hops, sitemap, lastmod) VALUES "+
		row+strings.Repeat(", "+row, len(fresh)-1), args...)
	return err
}
