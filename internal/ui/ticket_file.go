package ui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"crypto/rand"

	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// The forms of a ticket and of the name of its file. Who reads a ticket takes nothing else for one.
var (
	ticketForm     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z2-7]{26,64}$`) })
	ticketFileForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ui-ticket-[A-Z2-7]{26}$`) })
)

// maxTicketFile bounds the bytes of the file of a ticket.
const maxTicketFile = 128

// NoTicketError reports an answer that names no ticket which this user may read.
type NoTicketError struct{ Reason string }

func (e *NoTicketError) Error() string { return "the server gave no ticket: " + e.Reason }

// ticketFile is the file in a private directory of this user by which a server without a token proves who asks.
// Its ticket stays until it is used or half of its time is over, so that other users cannot replace it by asking.
type ticketFile struct {
	dir, name string // the directory may be ""; then there are no tickets

	mu     sync.Mutex
	ticket string
	at     time.Time
}

func newTicketFile(dir string) *ticketFile {
	return &ticketFile{dir: dir, name: "ui-ticket-" + rand.Text()}
}

// write makes sure that the file has a ticket of a, and returns the name of the file.
func (f *ticketFile) write(a *access) (name string, err error) {
	if f.dir == "" {
		return "", errors.New("this server gives out no tickets")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ticket != "" && a.isPending(f.ticket) && time.Since(f.at) < ticketTime/2 {
		return f.name, nil
	}
	ticket, at := a.addTicket(), time.Now()
	if err := atomicfile.Write(filepath.Join(f.dir, f.name), []byte(ticket), 0o600); err != nil {
		return "", err
	}
	f.ticket, f.at = ticket, at
	return f.name, nil
}

// remove removes the file.
func (f *ticketFile) remove() {
	if f.dir != "" {
		_ = os.Remove(filepath.Join(f.dir, f.name))
	}
}

// CheckTicket refuses a text that is no ticket.
func CheckTicket(text string) error {
	if !ticketForm().MatchString(text) {
		return &NoTicketError{"its answer has not the form of one"}
	}
	return nil
}

// ReadTicket reads the ticket in a file that a server names. dir is the private directory of this user in which
// servers write tickets; nothing outside it is opened, no link is followed, and the text must be a ticket.
func ReadTicket(dir, name string) (string, error) {
	if !ticketFileForm().MatchString(name) {
		return "", &NoTicketError{"the file that it names is none of this program's"}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(name)
	if err != nil {
		return "", &NoTicketError{"it runs as another user, or elsewhere: " + filepath.Join(dir, name) + " does not exist"}
	}
	if !info.Mode().IsRegular() || info.Size() > maxTicketFile {
		return "", &NoTicketError{fmt.Sprintf("%s is not the file of a ticket", filepath.Join(dir, name))}
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxTicketFile))
	if err != nil {
		return "", err
	}
	return string(text), CheckTicket(string(text))
}
