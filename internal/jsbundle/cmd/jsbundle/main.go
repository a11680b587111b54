// Command jsbundle writes the bundle of an injected script; go generate calls it.
package main

import (
	"fmt"
	"os"

	"github.com/callsheet/callsheet/internal/jsbundle"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: jsbundle entry.js property url output.js")
		os.Exit(2)
	}
	bundle, err := jsbundle.Build(os.Args[1], os.Args[2], os.Args[3])
	if err == nil {
		err = os.WriteFile(os.Args[4], bundle, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "jsbundle:", err)
		os.Exit(1)
	}
}
