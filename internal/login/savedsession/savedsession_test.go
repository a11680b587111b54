package savedsession_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/login/savedsession"
	"github.com/callsheet/callsheet/internal/login/statefile"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

var login = savedsession.Session{
	Saved: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	State: statefile.State{Cookies: []statefile.Cookie{{Name: "sid", Value: "hunter2", Domain: "a.example", Path: "/", Expires: -1}}},
	Tabs:  []savedsession.Tab{{URL: "https://a.example/", Current: true}},
}

// open returns a store with a key that the test can change.
func open(t *testing.T) (store *savedsession.Store, dir statedir.Dir, key *string) {
	t.Helper()
	dir, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	key = new("")
	return savedsession.New(dir, seal.New(func() (string, error) {
		if *key == "" {
			return "", seal.ErrNoKey
		}
		return *key, nil
	})), dir, key
}

func TestSessionsAreEncryptedWithAKey(t *testing.T) {
	t.Parallel()
	store, dir, key := open(t)
	if encrypted, err := store.Save(powertest.Secret, "work", login); encrypted || err != nil {
		t.Fatal(encrypted, err)
	}
	if info, err := os.Stat(dir.Path("sessions", "work.json")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the file: %v %v", info, err)
	}
	*key = "too short"
	if _, err := store.Save(powertest.Secret, "work", login); err == nil {
		t.Error("with a key that is too short it is saved readable")
	}
	*key = "correct horse battery"
	if encrypted, err := store.Save(powertest.Secret, "work", login); !encrypted || err != nil {
		t.Fatal(encrypted, err)
	}
	if _, err := os.Stat(dir.Path("sessions", "work.json")); err == nil {
		t.Error("the readable file stays beside the encrypted one")
	}
	text, err := os.ReadFile(dir.Path("sessions", "work.sealed"))
	if err != nil || strings.Contains(string(text), "hunter2") || strings.Contains(string(text), "a.example") {
		t.Errorf("the file shows what is in it: %v", err)
	}
	if got, err := store.Load(powertest.Secret, "work"); err != nil || got.State.Cookies[0].Value != "hunter2" || !got.Tabs[0].Current {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(dir.Path("sessions", "other.sealed"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := store.List(powertest.Secret)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	if other := all[0]; other.Name != "other" || !errors.Is(other.Err, seal.ErrNotOpened) {
		t.Errorf("under another name: %+v", other)
	}
	if work := all[1]; work.Name != "work" || !work.Encrypted || !work.Saved.Equal(login.Saved) || strings.Join(work.Origins, " ") != "a.example" || work.Tabs != 1 {
		t.Errorf("the list has %+v", work)
	}
}

func TestNamesStayInTheDirectory(t *testing.T) {
	t.Parallel()
	store, _, _ := open(t)
	for _, name := range []string{"", "../x", "a/b", ".hidden", "a b", strings.Repeat("a", 65)} {
		_, saved := store.Save(powertest.Secret, name, login)
		_, loaded := store.Load(powertest.Secret, name)
		if saved == nil || loaded == nil || store.Remove(powertest.Secret, name) == nil {
			t.Errorf("%q is a name: %v, %v", name, saved, loaded)
		}
	}
	if _, err := store.Load(powertest.Secret, "nothing"); !errors.Is(err, savedsession.ErrUnknown) {
		t.Errorf("an unknown name: %v", err)
	}
	if all, err := store.List(powertest.Secret); len(all) != 0 || err != nil {
		t.Errorf("without a directory: %v, %v", all, err)
	}
	if _, err := store.Save(powertest.Secret, "work", login); err != nil {
		t.Fatal(err)
	}
	if err := store.Remove(powertest.Secret, "work"); err != nil {
		t.Error(err)
	}
	if err := store.Remove(powertest.Secret, "work"); !errors.Is(err, savedsession.ErrUnknown) {
		t.Errorf("removed twice: %v", err)
	}
}

// TestPrincipalsHaveSessionsOfTheirOwn saves a login as each principal, and looks for it as the others.
func TestPrincipalsHaveSessionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	all, _, key := open(t)
	*key = "correct horse battery"
	principals := []string{"stdio", "auth-token", "token ci", "token ci ", "token stdio"}
	for _, owner := range principals {
		own, err := all.For(owner)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := own.Save(powertest.Secret, "work", login); err != nil {
			t.Fatal(err)
		}
		for _, other := range principals {
			store, _ := all.For(other)
			_, err := store.Load(powertest.Secret, "work")
			list, listErr := store.List(powertest.Secret)
			if has := err == nil; listErr != nil || has != (other == owner) || len(list) == 1 != has {
				t.Errorf("%q finds what %q saved: %v; %v %v", other, owner, err, list, listErr)
			}
			if other != owner && !errors.Is(store.Remove(powertest.Secret, "work"), savedsession.ErrUnknown) {
				t.Errorf("%q removes what %q saved", other, owner)
			}
		}
		if err := own.Remove(powertest.Secret, "work"); err != nil {
			t.Error(owner, err)
		}
	}
	for _, nobody := range []string{"", "session", "handle", "shared:stdio", "tokens", "shared:token ci"} {
		if _, err := all.For(nobody); err == nil {
			t.Errorf("%q, which proves nothing, has saved sessions", nobody)
		}
	}
}
