// Package startheap keeps the garbage collector from running while a program starts.
//
// Package initialization alone fills most of the heap of 4 MiB at which the runtime collects for the first time. A
// collection before the first answer stops the program, starts threads and finds little that is free. A program
// imports this package for that effect, and calls Restore when it has started. The package imports nothing but
// runtime/debug: so it is initialized before the packages that allocate most.
package startheap

import "runtime/debug"

// percent is how much the heap grows before the first collection, in percent of the heap that the runtime begins
// with: 4 MiB at 100.
const percent = 400

// usual is the setting of the environment, or the runtime's own.
var usual = debug.SetGCPercent(percent)

// Restore sets the setting of the environment again.
func Restore() { debug.SetGCPercent(usual) }
