// Command fileserver serves a directory on a free port of the loopback interface and prints its
// address, for the scripts beside it, which need a site that no network can take away. It must know
// nothing of what it serves.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fileserver DIR")
		os.Exit(2)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "fileserver:", err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stdout, "http://%s\n", l.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(os.Args[1])), ReadHeaderTimeout: time.Minute}
	fmt.Fprintln(os.Stderr, "fileserver:", server.Serve(l))
	os.Exit(1)
}
