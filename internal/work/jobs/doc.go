// Package jobs is work that outlives a call and a process: a list of jobs in a database, and the River queue that hands
// them to whoever works.
//
// The database is SQLite in the state directory, or Postgres when several machines work together; nothing is opened before
// something is asked. A job is done by hands, which are River jobs, in any process that works; a process that works says so
// every few seconds, and what one that fell silent had in hand is given to others. The package must not know what a kind of
// job does: a kind keeps its own tables here, and acknowledges its own steps.
package jobs
