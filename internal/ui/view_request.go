package ui

import (
	"fmt"
	"net/http"
	"strconv"
)

// Number reads a parameter of the address that is a number from least to most; without one it is
// otherwise. The error is a refusal of the request.
func Number(r *http.Request, name string, otherwise, least, most int64) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, &Error{http.StatusBadRequest, fmt.Sprintf("%s is a number from %d to %d, not %.40q", name, least, most, text)}
	}
	return n, nil
}

// WriteError answers a request of a Raw handler with a refusal, as Get does.
func WriteError(w http.ResponseWriter, status int, message string) {
	(&Error{status, message}).write(w)
}
