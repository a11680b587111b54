// Package acceptance holds sites against applications that others wrote: a client of the protocol
// completes tasks with the tools of a site and with the generic ones, before and after a redesign,
// and meets changes of meaning. The sites are in examples/sites. A script that a site becomes is held
// against one of the applications too.
//
// It has only tests, and must not know how sites are compiled or run: it starts the program as an
// operator does. The applications (webapp_test.go) are cgit, TiddlyWiki and the admin of Django; a
// reverse proxy (redesign_test.go) changes what they serve.
package acceptance
