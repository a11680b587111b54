package handoff_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/login/handoff"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// process is the handoffs of a process: a connection of its own to the one database.
func process(t *testing.T, dir string) *handoff.Store {
	t.Helper()
	place, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	db := database.New(place)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return handoff.New(db)
}

var login = identity.Context{
	Origin: "https://example.com", Cookies: []identity.Cookie{{Name: "sid", Value: "hunter2hunter2"}}, Local: map[string]string{"user": "ann"},
}

func create(t *testing.T, h *handoff.Store, ttl time.Duration) string {
	t.Helper()
	token, expires, err := h.Create(t.Context(), powertest.Secret, login, ttl)
	if err != nil || time.Until(expires) > ttl {
		t.Fatalf("%v, until %v", err, expires)
	}
	return token
}

func anyone(identity.Context) error { return nil }

func TestTokenIsValidOnceInAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here, there := process(t, dir), process(t, dir)
	token := create(t, here, time.Minute)
	for _, name := range []string{database.FileName, database.FileName + "-wal"} {
		if data, err := os.ReadFile(dir + "/" + name); err == nil && strings.Contains(string(data), "hunter2") {
			t.Errorf("%s tells the login", name)
		}
	}
	refused := errors.New("another origin")
	if _, err := there.Redeem(t.Context(), powertest.Secret, token, func(identity.Context) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("what is not accepted: %v", err)
	}
	got, err := there.Redeem(t.Context(), powertest.Secret, token, anyone)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(login, got); diff != "" {
		t.Error(diff)
	}
	for _, h := range []*handoff.Store{here, there} {
		if _, err := h.Redeem(t.Context(), powertest.Secret, token, anyone); !errors.Is(err, handoff.ErrSpent) {
			t.Errorf("the second time: %v", err)
		}
	}
}

func TestInvalidTokens(t *testing.T) {
	t.Parallel()
	h := process(t, t.TempDir())
	token, other := create(t, h, time.Minute), create(t, h, time.Minute)
	at := strings.LastIndex(token, ".")
	flipped := byte('A')
	if token[at+1] == flipped {
		flipped = 'B'
	}
	for text, want := range map[string]error{
		"":      handoff.ErrMalformed,
		"hello": handoff.ErrMalformed,
		token[:at+1] + string(flipped) + token[at+2:]:      handoff.ErrTampered,
		token[:len(token)-2]:                               handoff.ErrTampered,
		token[:at] + other[strings.LastIndex(other, "."):]: handoff.ErrTampered,
		"csh1.AAAAAAAAAAAAAAAAAAAAAAAAAA" + token[at:]:     handoff.ErrUnknown,
	} {
		if _, err := h.Redeem(t.Context(), powertest.Secret, text, anyone); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if _, err := h.Redeem(t.Context(), powertest.Secret, token, anyone); err != nil {
		t.Errorf("a token after a guess at its id: %v", err)
	}
	short := create(t, h, -time.Millisecond)
	if _, err := h.Redeem(t.Context(), powertest.Secret, short, anyone); !errors.Is(err, handoff.ErrExpired) {
		t.Errorf("an expired one: %v", err)
	}
	create(t, h, time.Minute) // wipes what has expired
	if _, err := h.Redeem(t.Context(), powertest.Secret, short, anyone); !errors.Is(err, handoff.ErrExpired) {
		t.Errorf("an expired one that was wiped: %v", err)
	}
	if _, err := process(t, t.TempDir()).Redeem(t.Context(), powertest.Secret, other, anyone); !errors.Is(err, handoff.ErrUnknown) {
		t.Errorf("in another state directory: %v", err)
	}
}

// TestConcurrentRedeemsHaveOneWinner lets several processes redeem one token.
func TestConcurrentRedeemsHaveOneWinner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := create(t, process(t, dir), time.Minute)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		h := process(t, dir)
		wg.Go(func() { _, errs[i] = h.Redeem(context.Background(), powertest.Secret, token, anyone) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, handoff.ErrSpent):
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d redeemed it", won, len(errs))
	}
}
