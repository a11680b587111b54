package lock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/webmcp/lock"
)

func accept(t *testing.T, f *lock.File, origin string, tools ...lock.Tool) []string {
	t.Helper()
	names, err := f.Accept(t.Context(), lock.Acceptance{Origin: origin, Tools: tools, By: "a test", Why: "it is tested"})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestAcceptAndForget(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", lock.FileName)
	f := lock.NewFile(path)
	if l, err := f.Load(); err != nil || len(l.Origins()) != 0 {
		t.Fatalf("a file that is not there: %v, %v", l, err)
	}
	other := changed(func(t *lock.Tool) { t.Name = "Buy-now.v2" })
	if got := accept(t, f, shop, addToCart(), other); len(got) != 2 {
		t.Errorf("accepted %v", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode: %v, %v", info, err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := accept(t, f, shop, addToCart()); len(got) != 0 {
		t.Errorf("an unchanged tool was accepted again: %v", got)
	}
	l, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	first, ok := l.Entry(shop, "add_to_cart")
	if !ok || first.AllowedBy != "a test" || first.Why != "it is tested" || first.FirstSeen.IsZero() || first.AllowedAt != first.FirstSeen {
		t.Errorf("the entry: %+v", first)
	}
	later := lock.Acceptance{Origin: shop, By: "another", At: first.FirstSeen.Add(time.Hour), Tools: []lock.Tool{changed(func(t *lock.Tool) { t.Description = "Other <words>." })}}
	if _, err := f.Accept(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) == string(before) || !strings.Contains(string(after), `"description": "Other <words>."`) {
		t.Errorf("the file: %v\n%s", err, after)
	}
	l, err = f.Load()
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := l.Entry(shop, "add_to_cart"); e.FirstSeen != first.FirstSeen || e.AllowedAt != later.At || e.AllowedBy != "another" || len(l.Entries(shop)) != 2 {
		t.Errorf("the changed entry: %+v", e)
	}
	if gone, err := f.Forget(t.Context(), shop, "unknown", "add_to_cart"); err != nil || len(gone) != 1 {
		t.Errorf("forgot %v, %v", gone, err)
	}
	if gone, err := f.Forget(t.Context(), shop); err != nil || len(gone) != 1 || gone[0] != "Buy-now.v2" {
		t.Errorf("forgot %v, %v", gone, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("files are left over: %v, %v", entries, err)
	}
}

// A file that cannot be read whole allows nothing, and no write replaces it.
func TestUnreadableFileIsKept(t *testing.T) {
	t.Parallel()
	entry := `{"description":"d","annotations":{},"first_seen":"2026-01-01T00:00:00Z","allowed_at":"2026-01-01T00:00:00Z","allowed_by":"a"}`
	file := func(tools string) string {
		return "{\"version\":1,\n\"origins\":{\"https://a.example\":{\n\"tools\":{" + tools + "}}}}"
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":                 {"", "it is empty"},
		"cut off":               {file(`"a":` + entry)[:60], "line 3: "},
		"conflict markers":      {"{\"version\":1,\n<<<<<<< ours\n", "line 2: "},
		"a newer version":       {`{"version":2,"origins":{},"more":1}`, "its version is 2, and this program reads 1"},
		"an unknown member":     {file(`"a":` + strings.Replace(entry, `"description"`, `"unknown":1,"description"`, 1)), "unknown"},
		"two of a name":         {file(`"a":` + entry + `,"a":` + entry), "line 3: "},
		"another type":          {file(`"a":` + strings.Replace(entry, `"d"`, `[]`, 1)), "line 3: "},
		"no person":             {file(`"a":` + strings.Replace(entry, `"allowed_by":"a"`, `"allowed_by":""`, 1)), "allowed_by is missing"},
		"a hostile name":        {file(`"a b":` + entry), "its name is not"},
		"a hostile origin":      {strings.Replace(file(`"a":`+entry), "https://a.example", "javascript:x", 1), "has no lock"},
		"something after":       {file(`"a":`+entry) + "{}", "line 3: "},
		"a file without end":    {file(`"a":`+entry) + strings.Repeat(" ", lock.MaxFileSize), "it has more than"},
		"more tools than bound": {file(manyEntries(entry, lock.MaxTools+1)), "has 257 tools"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), lock.FileName)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			f := lock.NewFile(path)
			_, loadErr := f.Load()
			_, acceptErr := f.Accept(t.Context(), lock.Acceptance{Origin: shop, Tools: []lock.Tool{addToCart()}, By: "a test"})
			_, forgetErr := f.Forget(t.Context(), shop)
			for _, err := range []error{loadErr, acceptErr, forgetErr} {
				var bad *lock.FileError
				if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("the error is %v, want %q", err, c.want)
				}
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != c.text {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

func manyEntries(entry string, n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%q:%s", fmt.Sprint("t", i), entry))
	}
	return strings.Join(out, ",")
}

func TestUnusablePaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(filepath.Join(dir, "real.json"), link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "real.json"), []byte(`{"version":1,"origins":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	accept(t, lock.NewFile(link), shop, addToCart())
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if l, err := lock.NewFile(filepath.Join(dir, "real.json")).Load(); err != nil || len(l.Entries(shop)) != 1 {
		t.Errorf("the linked file was not written: %v", err)
	}
	for _, path := range []string{dir, filepath.Join(link, "below")} {
		f := lock.NewFile(path)
		var bad *lock.FileError
		if _, err := f.Accept(t.Context(), lock.Acceptance{Origin: shop, Tools: []lock.Tool{addToCart()}, By: "a test"}); !errors.As(err, &bad) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAcceptRefuses(t *testing.T) {
	t.Parallel()
	f := lock.NewFile(filepath.Join(t.TempDir(), lock.FileName))
	var many []lock.Tool
	for i := range lock.MaxTools + 1 {
		many = append(many, changed(func(t *lock.Tool) { t.Name = fmt.Sprint("t", i) }))
	}
	for name, a := range map[string]lock.Acceptance{
		"who allows it is missing": {Origin: shop, Tools: []lock.Tool{addToCart()}},
		"has no lock":              {Origin: "null", Tools: []lock.Tool{addToCart()}, By: "a"},
		"two documents offer":      {Origin: shop, Tools: []lock.Tool{addToCart(), addToCart()}, By: "a"},
		"more than 500 characters": {Origin: shop, Tools: []lock.Tool{addToCart()}, By: "a", Why: strings.Repeat("ü", 501)},
		"at most 256":              {Origin: shop, Tools: many, By: "a"},
		"its name is not":          {Origin: shop, Tools: []lock.Tool{{Name: "\u202e"}}, By: "a"},
	} {
		if _, err := f.Accept(t.Context(), a); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(f.Path()); !os.IsNotExist(err) {
		t.Errorf("a refused decision was written: %v", err)
	}
}

// childVariable names the file that a child process of the test accepts tools into.
const childVariable = "CALLSHEET_TEST_LOCK"

const acceptances = 20 // of each process

// Processes that accept tools at the same time lose none.
func TestProcessesShareTheFile(t *testing.T) {
	if path := os.Getenv(childVariable); path != "" {
		for i := range acceptances {
			accept(t, lock.NewFile(path), fmt.Sprintf("https://p%d.example", os.Getpid()), changed(func(t *lock.Tool) { t.Name = fmt.Sprint("t", i) }))
		}
		return
	}
	path := filepath.Join(t.TempDir(), lock.FileName)
	var children []*exec.Cmd
	for range 4 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesShareTheFile$")
		cmd.Env = append(os.Environ(), childVariable+"="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	l, err := lock.NewFile(path).Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Origins()) != len(children) {
		t.Errorf("%d origins, want %d", len(l.Origins()), len(children))
	}
	for _, o := range l.Origins() {
		if got := len(l.Entries(o)); got != acceptances {
			t.Errorf("%s has %d tools, want %d", o, got, acceptances)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lock.NewFile(path).Accept(ctx, lock.Acceptance{Origin: shop, Tools: []lock.Tool{addToCart()}, By: "a"}); err != nil {
		t.Errorf("a free file needs no waiting: %v", err)
	}
}
