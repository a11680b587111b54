package crawl

import (
	"context"
	"strings"

	"github.com/callsheet/callsheet/internal/work/jobs"
)

// candidate is an address that may join the frontier.
type candidate struct {
	Address
	depth, patternRun, hops int64
	sitemap                 bool
	lastmod                 string
}

// Names of the counts that are no outcomes of pages. Reports show them.
const (
	countOverPages = "beyond max_pages"
	countOverHost  = "beyond the host's share"
	countTrap      = "trap"
	countSitemaps  = "sitemaps"
)

// insertBatch is the number of addresses that one statement inserts.
const insertBatch = 100

// admission adds addresses to the frontier of a crawl within its budgets, in one transaction that
// has the job's row locked.
type admission struct {
	tx    jobs.Tx
	job   string
	spec  Spec
	total int64 // addresses in the frontier so far
}

// admit inserts the candidates that the frontier lacks. origin is the id of the page that links to
// them; 0 means none.
func (a admission) admit(ctx context.Context, all []candidate, origin int64) error {
	added := int64(0)
	for len(all) > 0 {
		part := all[:min(insertBatch, len(all))]
		all = all[len(part):]
		for _, step := range []func(context.Context, []candidate) ([]candidate, error){
			a.dropKnown, a.limitPatterns, a.limitPages, a.limitHosts,
		} {
			var err error
			if part, err = step(ctx, part); err != nil {
				return err
			}
		}
		if err := a.insertPages(ctx, part, origin); err != nil {
			return err
		}
		added += int64(len(part))
		a.total += int64(len(part))
	}
	if added == 0 {
		return nil
	}
	return a.tx.AddSteps(ctx, a.job, added)
}

// dropKnown drops the candidates that are in the frontier, and repeated ones. A queued address that
// was found again at a smaller depth gets that depth.
func (a admission) dropKnown(ctx context.Context, part []candidate) ([]candidate, error) {
	byKey := make(map[string]candidate, len(part))
	order := make([]string, 0, len(part))
	for _, c := range part {
		key := c.Key()
		before, repeated := byKey[key]
		if !repeated {
			order = append(order, key)
		}
		if !repeated || c.depth < before.depth {
			byKey[key] = c
		}
	}
	known, nearer, err := a.selectKnown(ctx, order, byKey)
	if err != nil {
		return nil, err
	}
	for _, key := range nearer {
		c := byKey[key]
		if _, err := a.tx.Exec(ctx, "UPDATE crawl_page SET depth = ?, run = ? WHERE crawl = ? AND key = ? AND state = "+stateQueued,
			c.depth, c.patternRun, a.job, key); err != nil {
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

// selectKnown returns which keys are in the frontier, and which of them are queued at a greater
// depth than their candidate.
func (a admission) selectKnown(
	ctx context.Context, keys []string, byKey map[string]candidate,
) (known map[string]bool, nearer []string, err error) {
	args := []any{a.job}
	for _, key := range keys {
		args = append(args, key)
	}
	rows, err := a.tx.Query(ctx, "SELECT key, depth, state FROM crawl_page WHERE crawl = ? AND key IN (?"+
		strings.Repeat(", ?", len(keys)-1)+")", args...)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	known = make(map[string]bool)
	for rows.Next() {
		var key, state string
		var depth int64
		if err := rows.Scan(&key, &depth, &state); err != nil {
			return nil, nil, err
		}
		known[key] = true
		if state == stateQueued && depth > byKey[key].depth {
			nearer = append(nearer, key)
		}
	}
	return known, nearer, rows.Err()
}

// limitPatterns counts the candidates that only addresses of their own pattern lead to, and drops
// those beyond the budget of the pattern.
func (a admission) limitPatterns(ctx context.Context, fresh []candidate) ([]candidate, error) {
	out := fresh[:0:0]
	dropped := int64(0)
	for _, c := range fresh {
		if c.patternRun <= freePatternRun {
			out = append(out, c)
			continue
		}
		var pages int64
		if err := a.tx.Row(ctx, "SELECT pages FROM crawl_pattern WHERE crawl = ? AND pattern = ?", a.job, c.pattern).
			Scan(&pages); ignoreNoRows(err) != nil {
			return nil, err
		}
		column := "pages"
		if pages >= a.spec.PerPattern {
			column = "dropped"
			dropped++
		} else {
			out = append(out, c)
		}
		if _, err := a.tx.Exec(ctx, `INSERT INTO crawl_pattern (crawl, pattern, pages, dropped) VALUES (?, ?, ?, ?)
ON CONFLICT (crawl, pattern) DO UPDATE SET `+column+" = crawl_pattern."+column+" + 1",
			a.job, c.pattern, boolInt(column == "pages"), boolInt(column == "dropped")); err != nil {
			return nil, err
		}
	}
	if dropped > 0 {
		return out, addCount(ctx, a.tx, a.job, countTrap, dropped)
	}
	return out, nil
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// limitPages drops the candidates beyond the crawl's budget of pages. Sitemaps do not count as
// pages.
func (a admission) limitPages(ctx context.Context, fresh []candidate) ([]candidate, error) {
	var sitemaps int64
	if len(a.spec.Sitemaps) > 0 {
		if err := a.tx.Row(ctx, "SELECT n FROM crawl_count WHERE crawl = ? AND what = ?", a.job, countSitemaps).
			Scan(&sitemaps); ignoreNoRows(err) != nil {
			return nil, err
		}
	}
	room, found := a.spec.MaxPages-(a.total-sitemaps), int64(0)
	out := fresh[:0:0]
	for _, c := range fresh {
		switch {
		case c.sitemap:
			found++
		case room <= 0:
			continue
		default:
			room--
		}
		out = append(out, c)
	}
	if found > 0 {
		if err := addCount(ctx, a.tx, a.job, countSitemaps, found); err != nil {
			return nil, err
		}
	}
	if dropped := int64(len(fresh) - len(out)); dropped > 0 {
		return out, addCount(ctx, a.tx, a.job, countOverPages, dropped)
	}
	return out, nil
}

// limitHosts inserts the hosts, and drops the candidates beyond the budget of their host.
func (a admission) limitHosts(ctx context.Context, fresh []candidate) ([]candidate, error) {
	wanted := make(map[string]int64)
	for _, c := range fresh {
		wanted[c.Host]++
	}
	room := make(map[string]int64)
	for host, n := range wanted {
		if a.spec.PerHost > 0 {
			var pages int64
			if err := a.tx.Row(ctx, "SELECT pages FROM crawl_host WHERE crawl = ? AND host = ?", a.job, host).
				Scan(&pages); ignoreNoRows(err) != nil {
				return nil, err
			}
			n = min(n, max(0, a.spec.PerHost-pages))
			if n < wanted[host] {
				if err := addCount(ctx, a.tx, a.job, countOverHost, wanted[host]-n); err != nil {
					return nil, err
				}
			}
		}
		room[host] = n
		if _, err := a.tx.Exec(ctx, `INSERT INTO crawl_host (crawl, host, gap, pages) VALUES (?, ?, ?, ?)
ON CONFLICT (crawl, host) DO UPDATE SET pages = crawl_host.pages + excluded.pages`, a.job, host, a.spec.DelayMS, n); err != nil {
			return nil, err
		}
	}
	out := fresh[:0:0]
	for _, c := range fresh {
		if room[c.Host]--; room[c.Host] >= 0 {
			out = append(out, c)
		}
	}
	return out, nil
}

func (a admission) insertPages(ctx context.Context, fresh []candidate, origin int64) error {
	if len(fresh) == 0 {
		return nil
	}
	var args []any
	for _, c := range fresh {
		args = append(args, a.job, c.Key(), c.URL, c.Host, c.pattern, origin, c.depth, c.patternRun, c.hops, boolInt(c.sitemap), c.lastmod)
	}
	const row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	_, err := a.tx.Exec(ctx, "INSERT INTO crawl_page (crawl, key, url, host, pattern, origin, depth, run, hops, sitemap, lastmod) VALUES "+
		row+strings.Repeat(", "+row, len(fresh)-1), args...)
	return err
}
