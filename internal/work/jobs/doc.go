// Package jobs keeps work that outlives a call and a process: a table of jobs in a database, and
// the River queue that distributes them to processes.
//
// The database is SQLite in the state directory, or Postgres for several machines. It is opened at
// the first use. A job is worked on by several runs at once, each a River job, in any process with
// slots; a heartbeat shows that a process is alive, and the runs of one that fell silent go back to
// the queue. The package must not know what a kind of job does: a Kind keeps its own tables in the
// same database and acknowledges its own steps.
package jobs
