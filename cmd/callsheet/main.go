// Command callsheet is the server and its command line. It joins flags to a surface, a browser and
// a transport; what they do is decided elsewhere. Standard output belongs to the protocol.
//
// It is one package because the commands share the streams, the flags and the daemon of one program.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the linker: -X main.version=….
var version = "dev"

// tokenVariable holds the bearer token where a flag would show it to every user of the machine.
const tokenVariable = "CALLSHEET_AUTH_TOKEN"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)   // a second signal ends the process at once
	signal.Ignore(syscall.SIGPIPE) // a client that goes away is an error to answer, not the end of the process
	token := os.Getenv(tokenVariable)
	_ = os.Unsetenv(tokenVariable) // browsers and other children have no use for it
	p := program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, token: token, build: build}
	os.Exit(p.run(ctx, os.Args[1:]))
}
