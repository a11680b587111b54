package database

// schema lists all migrations. Times are Unix milliseconds. A released migration is never edited; a
// new one changes its tables.
var schema = []Migration{`
CREATE TABLE journal (
	id      INTEGER PRIMARY KEY,
	session TEXT    NOT NULL,
	tool    TEXT    NOT NULL,
	at      INTEGER NOT NULL,
	took    INTEGER NOT NULL, -- milliseconds
	outcome TEXT    NOT NULL, -- "ok" or the code of the refusal
	args    TEXT    NOT NULL  -- JSON, shortened
) STRICT;
CREATE INDEX journal_session ON journal (session, id);

CREATE TABLE memory (
	id         INTEGER PRIMARY KEY,
	domain     TEXT    NOT NULL,
	key        TEXT    NOT NULL,
	value      TEXT    NOT NULL,
	confidence REAL    NOT NULL,
	updated    INTEGER NOT NULL,
	UNIQUE (domain, key)
) STRICT;

CREATE TABLE memo (
	id      TEXT    PRIMARY KEY, -- unguessable
	kind    TEXT    NOT NULL,    -- checkpoint or snapshot
	session TEXT    NOT NULL,
	saved   INTEGER NOT NULL,
	body    TEXT    NOT NULL     -- JSON
) STRICT;
CREATE INDEX memo_session ON memo (kind, session, saved);
`, `
CREATE TABLE crew (
	id       TEXT    PRIMARY KEY, -- unguessable
	session  TEXT    NOT NULL,
	server   TEXT    NOT NULL,    -- the process that opened its pages
	name     TEXT    NOT NULL,
	created  INTEGER NOT NULL,
	deadline INTEGER NOT NULL,
	stale    INTEGER NOT NULL,    -- after how many updates without new data a worker is reported
	cleaned  INTEGER NOT NULL     -- 0 while its contexts may be open
) STRICT;
CREATE INDEX crew_session ON crew (session, created);

CREATE TABLE crew_worker (
	crew       TEXT    NOT NULL REFERENCES crew (id) ON DELETE CASCADE,
	name       TEXT    NOT NULL,
	place      INTEGER NOT NULL,
	url        TEXT    NOT NULL,
	task       TEXT    NOT NULL,
	criteria   TEXT    NOT NULL,
	connection TEXT    NOT NULL,
	tab        TEXT    NOT NULL,
	status     TEXT    NOT NULL,
	settled    INTEGER NOT NULL, -- the worker itself has said how it ended
	why        TEXT    NOT NULL,
	summary    TEXT    NOT NULL,
	data       TEXT    NOT NULL, -- a JSON object
	iterations INTEGER NOT NULL,
	same       INTEGER NOT NULL, -- updates in a row that brought nothing new
	deadline   INTEGER NOT NULL,
	updated    INTEGER NOT NULL,
	finished   INTEGER NOT NULL, -- 0 while it is at work
	PRIMARY KEY (crew, name)
) STRICT;

CREATE TABLE crew_step (
	id     INTEGER PRIMARY KEY,
	crew   TEXT    NOT NULL,
	worker TEXT    NOT NULL,
	at     INTEGER NOT NULL,
	text   TEXT    NOT NULL,
	FOREIGN KEY (crew, worker) REFERENCES crew_worker (crew, name) ON DELETE CASCADE
) STRICT;
CREATE INDEX crew_step_worker ON crew_step (crew, worker, id);
`, `
CREATE TABLE handoff (
	id      TEXT    PRIMARY KEY, -- public part of the token
	expires INTEGER NOT NULL,
	spent   INTEGER NOT NULL DEFAULT 0, -- when it was redeemed; 0 if it was not
	sealed  BLOB                 -- under the key that only the token has; NULL once it is spent
) STRICT;
`, `
CREATE TABLE recording (
	id      TEXT    PRIMARY KEY, -- unguessable
	session TEXT    NOT NULL,
	owner   TEXT    NOT NULL,    -- who appends: another one takes over by writing its own
	label   TEXT    NOT NULL,
	started INTEGER NOT NULL,
	stopped INTEGER              -- NULL: it goes on, or its process was killed
) STRICT;
CREATE INDEX recording_session ON recording (session, started);

CREATE TABLE recording_step (
	recording TEXT    NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
	seq       INTEGER NOT NULL, -- from 1, without gaps
	body      TEXT    NOT NULL, -- JSON
	PRIMARY KEY (recording, seq)
) STRICT, WITHOUT ROWID;
`, `
CREATE TABLE script (
	id     TEXT    PRIMARY KEY,
	kind   TEXT    NOT NULL,    -- skill or plan
	domain TEXT    NOT NULL,    -- host that a skill is for
	name   TEXT    NOT NULL,
	stored INTEGER NOT NULL,
	used   INTEGER,             -- NULL: never
	runs   INTEGER NOT NULL,
	passed INTEGER NOT NULL,
	last   TEXT    NOT NULL,
	body   TEXT    NOT NULL,    -- JSON
	UNIQUE (kind, domain, name)
) STRICT;
`, `
-- principal is the owner, '' the operator: what another principal stores is not found.
ALTER TABLE memo ADD COLUMN principal TEXT NOT NULL DEFAULT '';
ALTER TABLE crew ADD COLUMN principal TEXT NOT NULL DEFAULT '';
ALTER TABLE recording ADD COLUMN principal TEXT NOT NULL DEFAULT '';

CREATE TABLE memory_of (
	id         INTEGER PRIMARY KEY,
	principal  TEXT    NOT NULL DEFAULT '',
	domain     TEXT    NOT NULL,
	key        TEXT    NOT NULL,
	value      TEXT    NOT NULL,
	confidence REAL    NOT NULL,
	updated    INTEGER NOT NULL,
	UNIQUE (principal, domain, key)
) STRICT;
INSERT INTO memory_of SELECT id, '', domain, key, value, confidence, updated FROM memory;
DROP TABLE memory;
ALTER TABLE memory_of RENAME TO memory;

CREATE TABLE script_of (
	id        TEXT    PRIMARY KEY,
	principal TEXT    NOT NULL DEFAULT '',
	kind      TEXT    NOT NULL,
	domain    TEXT    NOT NULL,
	name      TEXT    NOT NULL,
	stored    INTEGER NOT NULL,
	used      INTEGER,
	runs      INTEGER NOT NULL,
	passed    INTEGER NOT NULL,
	last      TEXT    NOT NULL,
	body      TEXT    NOT NULL,
	UNIQUE (principal, kind, domain, name)
) STRICT;
INSERT INTO script_of SELECT id, '', kind, domain, name, stored, used, runs, passed, last, body FROM script;
DROP TABLE script;
ALTER TABLE script_of RENAME TO script;
`}
