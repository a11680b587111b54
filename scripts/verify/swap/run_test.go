package swap_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// chosenVariable names the handlers that run the body of another.
const chosenVariable = "CALLSHEET_EXCHANGED"

// testTime bounds one test: handlers that were exchanged may wait for what never comes.
const testTime = 2 * time.Minute

// program is the test program of an area whose handlers can be exchanged.
type program struct {
	file, dir string
	good      map[string]bool // tests that pass where nothing is exchanged
}

// build compiles the tests of the area with the exchanged methods; done removes the program.
func (a *area) build(all []exchange) (p *program, done func(), err error) {
	scratch, err := os.MkdirTemp("", "swap")
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = os.RemoveAll(scratch) }
	defer func() {
		if err != nil {
			done()
		}
	}()
	bodies := map[*handler][]*handler{}
	for _, x := range all {
		bodies[x.h] = append(bodies[x.h], x.body)
		if x.both {
			bodies[x.body] = append(bodies[x.body], x.h)
		}
	}
	files, err := a.withExchanged(func(h, body *handler) bool { return slices.Contains(bodies[h], body) }, bodies)
	if err != nil {
		return nil, nil, err
	}
	files[filepath.Join(filepath.Dir(a.handlers[0].file), "exchanged.go")] = fmt.Appendf(nil, chooser, a.pkg.Name)
	overlay, err := writeOverlay(scratch, files)
	if err != nil {
		return nil, nil, err
	}
	p = &program{file: filepath.Join(scratch, "area.test"), dir: a.dir, good: map[string]bool{}}
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", p.file, a.dir).CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("%w: %s", err, out)
	}
	return p, done, nil
}

// writeOverlay writes files that stand over others and the file that tells Go's compiler of them.
func writeOverlay(scratch string, files map[string][]byte) (string, error) {
	replace := map[string]string{}
	for name, text := range files {
		replace[name] = filepath.Join(scratch, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(replace[name], text, 0o600); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(scratch, "overlay.json")
	return file, os.WriteFile(file, data, 0o600)
}

// refutes runs tests until one fails that passes where nothing is exchanged, and returns its name; "" when none does.
func (p *program) refutes(x exchange, tests []string) (string, error) {
	for _, test := range tests {
		passed, err := p.passes(test, x.String())
		if err != nil {
			return "", err
		}
		if passed {
			continue
		}
		if good, known := p.good[test]; !known {
			if p.good[test], err = p.passes(test, ""); err != nil {
				return "", err
			}
		} else if !good {
			continue
		}
		if p.good[test] {
			return test, nil
		}
	}
	return "", nil
}

func (p *program) passes(test, exchanged string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.file, "-test.run", "^"+test+"$", "-test.failfast", "-test.timeout", (testTime - 10*time.Second).String())
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), chosenVariable+"="+exchanged)
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return false, err
	}
	return err == nil, nil
}
