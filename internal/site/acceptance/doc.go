// Package acceptance holds sites against applications that others wrote: a client of the protocol
// completes tasks with the tools of a site and with the generic ones, before and after a redesign,
// and meets changes of meaning. The sites are in examples/sites.
//
// It has only tests, and must not know how sites are compiled or run: it starts the program as an
// operator does.
package acceptance
