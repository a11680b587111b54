package crawl

// States of an address in the frontier, as the column has them. They are literals in statements,
// not parameters, because the partial indexes below match only literals.
const (
	stateQueued       = "0"
	stateLeased       = "1"
	stateAcknowledged = "2"
)

// crawlSchema returns the tables of the frontier. Times are Unix milliseconds of the database's
// clock.
func crawlSchema() []string { return append(pageSchema(), hostSchema()...) }

func pageSchema() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS crawl_page (
	id       {id},
	crawl    TEXT   NOT NULL,
	key      TEXT   NOT NULL,            -- Address.Key
	url      TEXT   NOT NULL,
	host     TEXT   NOT NULL,
	pattern  TEXT   NOT NULL,
	origin   BIGINT NOT NULL DEFAULT 0,  -- id of the page that links here; 0 is none
	depth    BIGINT NOT NULL,
	run      BIGINT NOT NULL DEFAULT 0,  -- length of the chain of pages of one pattern that ends here
	hops     BIGINT NOT NULL DEFAULT 0,  -- length of the chain of redirects that ends here
	sitemap  BIGINT NOT NULL DEFAULT 0,  -- 1 for a sitemap
	lastmod  TEXT   NOT NULL DEFAULT '',
	state    BIGINT NOT NULL DEFAULT ` + stateQueued + `,
	worker   TEXT   NOT NULL DEFAULT '', -- the process that has the lease
	grip     BIGINT NOT NULL DEFAULT 0,  -- fence token: number of leases so far; an older lease is void
	tries    BIGINT NOT NULL DEFAULT 0,  -- transient failures so far
	crashes  BIGINT NOT NULL DEFAULT 0,  -- workers that died while they had the lease
	ready_at BIGINT NOT NULL DEFAULT 0,
	seq      BIGINT NOT NULL DEFAULT 0,  -- its place in the results; 0 before
	outcome  TEXT   NOT NULL DEFAULT '',
	hash     TEXT   NOT NULL DEFAULT '', -- of the response
	UNIQUE (crawl, key)
)`,
		`CREATE INDEX IF NOT EXISTS crawl_page_queued ON crawl_page (crawl, host, depth, id) WHERE state = ` + stateQueued,
		`CREATE INDEX IF NOT EXISTS crawl_page_leased ON crawl_page (crawl, worker) WHERE state = ` + stateLeased,
		`CREATE INDEX IF NOT EXISTS crawl_page_hash ON crawl_page (crawl, hash) WHERE outcome = '` + OutcomeOK + `'`,
	}
}

// hostSchema returns the tables of hosts, patterns, counts and results.
func hostSchema() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS crawl_host (
	crawl   TEXT   NOT NULL,
	host    TEXT   NOT NULL,
	gap     BIGINT NOT NULL,            -- delay between two requests
	free_at BIGINT NOT NULL DEFAULT 0,  -- time of the next request
	pages   BIGINT NOT NULL DEFAULT 0,  -- admitted to the frontier
	robots  TEXT,                       -- robots.txt as it was read, NULL before
	PRIMARY KEY (crawl, host)
)`,
		`CREATE INDEX IF NOT EXISTS crawl_host_name ON crawl_host (host)`,
		`CREATE TABLE IF NOT EXISTS crawl_pattern (
	crawl TEXT NOT NULL, pattern TEXT NOT NULL, pages BIGINT NOT NULL, dropped BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (crawl, pattern)
)`,
		`CREATE TABLE IF NOT EXISTS crawl_count (
	crawl TEXT NOT NULL, what TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (crawl, what)
)`,
		`CREATE TABLE IF NOT EXISTS crawl_result (
	crawl TEXT NOT NULL, seq BIGINT NOT NULL, page BIGINT NOT NULL, at BIGINT NOT NULL,
	body  {blob} NOT NULL, -- the line of JSON, deflated
	PRIMARY KEY (crawl, seq)
)`,
	}
}
