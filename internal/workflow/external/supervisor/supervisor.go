// Package supervisor starts a process of which no descendant outlives this one, nor its own end.
//
// On Linux a supervisor stands between the two: this executable, started under another name, which
// is the subreaper of what it starts. A descendant whose parent has ended becomes its child, in
// whatever session, process group and environment it runs, and so is found. On other systems the
// process is started as it is.
//
// The package must not know what the processes do.
package supervisor
