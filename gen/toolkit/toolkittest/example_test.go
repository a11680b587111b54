package toolkittest_test

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

// In a test, t is the test's own, and the generated package registry makes the registry from the handlers.
func ExampleNew() {
	t := new(program)
	defer t.end()
	k := toolkittest.New(t, sample())
	fmt.Println(k.Call(t, "count", toolkittest.Args{"text": "four"}).Text)
	fmt.Println(k.Refuse(t, "refuse", nil, toolkit.Failed).Text)
	// Output:
	// {"n":4}
	// FAILED: no
}

// A list follows the facts of the session. The client is notified, and lists again.
func ExampleKit_AwaitListChange() {
	t := new(program)
	defer t.end()
	k := toolkittest.New(t, sample(), toolkittest.Area("door"))
	fmt.Println(k.Listed(t))
	k.SetFacts(t, "open")
	k.AwaitListChange(t)
	fmt.Println(k.Listed(t))
	// Output:
	// [who]
	// [enter who]
}
