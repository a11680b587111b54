// Package slicesx has what the standard library's package slices lacks: the slice of a function's results, and that of
// the items that a function accepts.
//
// It is a leaf, which every package may import: it must import nothing of this module.
package slicesx

// Map returns the results of f for the items, in their order; nil for no items.
func Map[T, U any](items []T, f func(T) U) []U {
	if len(items) == 0 {
		return nil
	}
	return List(items, f)
}

// List is Map with an empty slice for no items, which JSON writes as a list.
func List[T, U any](items []T, f func(T) U) []U {
	out := make([]U, len(items))
	for i, item := range items {
		out[i] = f(item)
	}
	return out
}

// Filter returns the items that keep accepts, in their order; nil for none.
func Filter[T any](items []T, keep func(T) bool) []T {
	var out []T
	for _, item := range items {
		if keep(item) {
			out = append(out, item)
		}
	}
	return out
}
