package doctor

import "context"

// lookDisk says nothing here: how much is free takes a system call that nothing else needs.
func lookDisk(context.Context, Subject) []Finding { return nil }
