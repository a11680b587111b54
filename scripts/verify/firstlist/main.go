// Command firstlist starts a server again and again and prints how long after the start of its process it has
// answered tools/list, as the median of all starts. It must not know which server that is.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// starts is how often the server is started.
const starts = 21

// requests opens a session and asks for the list, all at once: a client that waits would measure itself.
const requests = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"firstlist","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: firstlist PROGRAM [ARGUMENT…]")
		os.Exit(2)
	}
	var times []time.Duration
	for range starts {
		t, err := measure(os.Args[1:])
		if err != nil {
			fmt.Fprintln(os.Stderr, "firstlist:", err)
			os.Exit(1)
		}
		times = append(times, t)
	}
	slices.Sort(times)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Printf("first_list_ms=%.1f slowest_ms=%.1f starts=%d\n", ms(times[len(times)/2]), ms(times[len(times)-1]), len(times))
}

// measure starts the server once.
func measure(command []string) (took time.Duration, err error) {
	cmd := exec.Command(command[0], command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, in.Close(), cmd.Wait())
	}()
	if _, err := io.WriteString(in, requests); err != nil {
		return 0, err
	}
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return 0, fmt.Errorf("read the answer: %w", err)
		}
		if strings.Contains(line, `"id":2`) {
			return time.Since(began), nil
		}
	}
}
