package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cost is what one step needed.
type cost struct {
	wall, cpu   time.Duration
	peak, total int64 // bytes: of the largest process, and of all at once; total 0 where /proc is absent
}

func (c cost) String() string {
	return fmt.Sprintf("%6.1f s  %6.1f s CPU  %5d MB peak  %5d MB total", c.wall.Seconds(), c.cpu.Seconds(), c.peak>>20, c.total>>20)
}

// sampleEvery is how often the memory of a step's processes is added up.
const sampleEvery = 50 * time.Millisecond

// measure runs a command in dir and returns what it cost, with its children.
func measure(dir string, args []string) (cost, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	setProcessGroup(cmd)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	done, total := make(chan struct{}), make(chan int64)
	go func() { total <- largestSum(cmd.Process.Pid, done) }()
	err := cmd.Wait()
	c := cost{wall: time.Since(began)}
	close(done)
	c.total = <-total
	if err != nil {
		return c, fmt.Errorf("%s: %w\n%.2000s", strings.Join(args, " "), err, out.String())
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	c.peak = peakMemory(cmd.ProcessState)
	return c, nil
}

// largestSum samples the resident memory of a process group until done is closed and returns the
// largest sum.
func largestSum(group int, done <-chan struct{}) int64 {
	var largest int64
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return largest
		case <-tick.C:
			largest = max(largest, resident(group))
		}
	}
}

// resident sums the resident memory of a process group, as /proc has it.
func resident(group int) int64 {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var sum int64
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended
		}
		// After the command's name in parentheses: state, parent, group; resident pages are the
		// 22nd.
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if len(fields) < 22 || fields[2] != strconv.Itoa(group) {
			continue
		}
		pages, _ := strconv.ParseInt(fields[21], 10, 64)
		sum += pages * int64(os.Getpagesize())
	}
	return sum
}
