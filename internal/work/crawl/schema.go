package crawl

// States of an address in the frontier.
const (
	stateQueued       = 0
	stateLeased       = 1
	stateAcknowledged = 2
)

// crawlSchema is the frontier. Times are Unix milliseconds of the database's clock.
func crawlSchema() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS crawl_page (
	id       {id},
	crawl    TEXT   NOT NULL,
	key      TEXT   NOT NULL,            -- Address.Key
	url      TEXT   NOT NULL,
	host     TEXT   NOT NULL,
	pattern  TEXT   NOT NULL,
	origin   BIGINT NOT NULL DEFAULT 0,  -- the page that led here; 0 is none
	depth    BIGINT NOT NULL,
	run      BIGINT NOT NULL DEFAULT 0,  -- pages of one pattern that led here, each to the next
	hops     BIGINT NOT NULL DEFAULT 0,  -- redirects that led here
	sitemap  BIGINT NOT NULL DEFAULT 0,  -- 1 for a sitemap
	lastmod  TEXT   NOT NULL DEFAULT '',
	state    BIGINT NOT NULL DEFAULT 0,
	worker   TEXT   NOT NULL DEFAULT '', -- who has the lease
	grip     BIGINT NOT NULL DEFAULT 0,  -- how often it was leased; an older lease is void
	tries    BIGINT NOT NULL DEFAULT 0,  -- answers that may yet be better
	crashes  BIGINT NOT NULL DEFAULT 0,  -- workers that died with it
	ready_at BIGINT NOT NULL DEFAULT 0,
	seq      BIGINT NOT NULL DEFAULT 0,  -- its place in the results; 0 before
	outcome  TEXT   NOT NULL DEFAULT '',
	hash     TEXT   NOT NULL DEFAULT '', -- of what was answered
	UNIQUE (crawl, key)
)`,
		`CREATE INDEX IF NOT EXISTS crawl_page_queued ON crawl_page (crawl, host, depth, id) WHERE state = 0`,
		`CREATE INDEX IF NOT EXISTS crawl_page_leased ON crawl_page (crawl, worker) WHERE state = 1`,
		`CREATE INDEX IF NOT EXISTS crawl_page_hash ON crawl_page (crawl, hash) WHERE outcome = 'ok'`,
		`CREATE TABLE IF NOT EXISTS crawl_host (
	crawl   TEXT   NOT NULL,
	host    TEXT   NOT NULL,
	gap     BIGINT NOT NULL,            -- between two requests
	free_at BIGINT NOT NULL DEFAULT 0,  -- the next request may go out
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
