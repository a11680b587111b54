package supervisor

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Enabled reports whether processes are started below a supervisor.
const Enabled = true

// argument is the first argument of a supervisor; the path of the executable that it starts and the
// arguments of that follow. Package initialisation looks for it, so that each executable that links
// this package, test programs too, can be a supervisor.
const argument = "callsheet-supervisor"

// The descriptors of a supervisor beside those of the process: it ends what it started when the
// first one ends, and reports on the second one why nothing was started.
const (
	controlFD = 3
	reportFD  = 4
)

// prSetChildSubreaper is PR_SET_CHILD_SUBREAPER of prctl(2).
const prSetChildSubreaper = 36

// failureCode is the exit code of a supervisor that could not start anything.
const failureCode = 127

// Start starts cmd below a supervisor, whose exit status is that of cmd. end kills the descendants
// of the supervisor, and cmd.Wait returns when all of them have ended. The same happens when this
// process ends in any way, or when cmd ends. cmd must have no ExtraFiles.
func Start(cmd *exec.Cmd) (end func(), err error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	control, controlEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	report, reportEnd, err := os.Pipe()
	if err != nil {
		_, _ = control.Close(), controlEnd.Close()
		return nil, err
	}
	cmd.Args = append([]string{argument, cmd.Path}, cmd.Args...)
	cmd.Path = "/proc/self/exe" // also if a newer version has replaced the file
	cmd.ExtraFiles = []*os.File{control, reportEnd}
	err = cmd.Start()
	_, _ = control.Close(), reportEnd.Close()
	if err == nil {
		if text, _ := io.ReadAll(report); len(text) > 0 { // ends when the process was started
			_ = cmd.Wait()
			err = errors.New(string(text))
		}
	}
	_ = report.Close()
	if err != nil {
		_ = controlEnd.Close()
		return nil, err
	}
	return func() { _ = controlEnd.Close() }, nil
}

func init() {
	if len(os.Args) > 2 && os.Args[0] == argument {
		supervise(os.Args[1], os.Args[2:])
	}
}

// supervise starts a process, waits for its end or that of the control descriptor, ends all
// descendants, and exits as the process did. It runs on the main thread, because the kernel sends a
// parent-death signal when the thread that started the process ends.
func supervise(path string, args []string) {
	syscall.CloseOnExec(controlFD)
	syscall.CloseOnExec(reportFD)
	signals := make(chan os.Signal, 1) // caught and not ignored: the process would inherit that
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	if errno != 0 {
		fail(os.NewSyscallError("prctl", errno))
	}
	ended := make(chan os.Signal, 1) // tells of children; a missed one is among those that are reaped at the next
	signal.Notify(ended, syscall.SIGCHLD)
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		fail(&os.PathError{Op: "fork/exec", Path: path, Err: err})
	}
	releaseFiles()
	status := waitFor(pid, ended)
	endDescendants()
	exitAs(status)
}

func fail(err error) {
	_, _ = syscall.Write(reportFD, []byte(err.Error()))
	syscall.Exit(failureCode)
}

// releaseFiles closes what the process has got, so that its end and that of its descendants closes
// the pipes.
func releaseFiles() {
	_ = syscall.Close(reportFD)
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	for fd := range 3 {
		if err == nil {
			_ = syscall.Dup3(null, fd, 0)
		} else {
			_ = syscall.Close(fd)
		}
	}
}

// waitFor waits for the end of a process, which it kills when the control descriptor ends, and
// returns its status. It reaps orphans meanwhile. ended gets a signal when a child has ended.
func waitFor(pid int, ended <-chan os.Signal) (status syscall.WaitStatus) {
	control := make(chan struct{})
	go func() {
		_, _ = syscall.Read(controlFD, make([]byte, 1)) // returns when the other end is closed
		close(control)
	}()
	for {
		for {
			got, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
			if got == pid || errors.Is(err, syscall.ECHILD) {
				return status
			}
			if got <= 0 && !errors.Is(err, syscall.EINTR) {
				break
			}
		}
		select {
		case <-ended:
		case <-control:
			_ = syscall.Kill(pid, syscall.SIGKILL)
			control = nil
		}
	}
}

// endDescendants kills every descendant but those of other users. It kills children until there are
// none: those of a child that ends become children of this process. The id of a child is not used
// again before this process has reaped it.
func endDescendants() {
	for killed := true; killed; {
		killed = false
		for _, pid := range children() {
			killed = syscall.Kill(pid, syscall.SIGKILL) == nil || killed
		}
		if killed {
			_, _ = syscall.Wait4(-1, nil, 0, nil) // of a child that ends now
		}
	}
}

// children returns the children of this process.
func children() (out []int) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the name before may hold anything
		if len(fields) < 2 || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// exitAs ends this process as another one ended.
func exitAs(status syscall.WaitStatus) {
	if status.Signaled() {
		signal.Reset(status.Signal())
		_ = syscall.Kill(os.Getpid(), status.Signal())
		syscall.Exit(128 + int(status.Signal())) // a signal whose default does not end a process
	}
	syscall.Exit(status.ExitStatus())
}
