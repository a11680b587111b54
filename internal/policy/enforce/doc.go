// Package enforce asks the operator's policy in the path of each call and for each request of a
// page, counts what limits bound, and writes the decisions to the journal.
//
// It must not know how a browser is driven: the engine calls it through an interface of its own,
// and internal/app joins the two.
package enforce
