package tooltest

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// axeFile is the axe-core that audits use, below the root of the repository.
const axeFile = "internal/engine/audit/axe/axe.min.js.gz"

// readAxe unpacks axe-core once for a test binary.
var readAxe = sync.OnceValues(func() (string, error) {
	root, err := repositoryRoot()
	if err != nil {
		return "", err
	}
	file, err := os.Open(filepath.Join(root, axeFile))
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // reading handle: nothing is lost
	packed, err := gzip.NewReader(file)
	if err != nil {
		return "", err
	}
	script, err := io.ReadAll(packed)
	return string(script), err
})

// repositoryRoot is the directory of the module that the test belongs to.
func repositoryRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", os.ErrNotExist
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// Layouts are the devices and environments of a check: the arguments of emulate_device and emulate_environment, by name.
var Layouts = map[string][2]Args{
	"desktop-light": {{"width": 1280, "height": 800, "mobile": false, "touch": false}, {"colorScheme": "light"}},
	"desktop-dark":  {{"width": 1280, "height": 800, "mobile": false, "touch": false}, {"colorScheme": "dark"}},
	"phone-light":   {{"width": 390, "height": 844, "mobile": true, "touch": true}, {"colorScheme": "light"}},
	"phone-dark":    {{"width": 390, "height": 844, "mobile": true, "touch": true}, {"colorScheme": "dark"}},
}

// CheckAccessibility has axe-core look at the page in every layout; each violation is an error. A page that
// is wider than the phone is one too.
func (c Client) CheckAccessibility(what string) {
	c.T.Helper()
	script, err := readAxe()
	if err != nil {
		c.T.Fatal(err)
	}
	for name, layout := range Layouts {
		c.Call("emulate_device", layout[0])
		c.Call("emulate_environment", layout[1])
		c.Call("javascript_tool", Args{"code": "if (!globalThis.axe) { " + script + " }; 0"})
		var found []struct {
			ID, Help string
			Nodes    []struct{ HTML, FailureSummary string }
		}
		_, text, _ := strings.Cut(c.Call("javascript_tool", Args{"code": `axe.run(document, { resultTypes: ['violations'] }).then((r) => 'axe:' + JSON.stringify(r.violations) + ':axe')`}), "axe:")
		text, _, _ = strings.Cut(text, ":axe")
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			c.T.Fatalf("%s, %s: %v: %.500s", what, name, err, text)
		}
		for _, v := range found {
			for _, n := range v.Nodes {
				c.T.Errorf("%s, %s: %s (%s): %.200s: %s", what, name, v.ID, v.Help, n.HTML, n.FailureSummary)
			}
		}
		c.WaitScript("document.documentElement.scrollWidth <= innerWidth")
	}
	c.Call("emulate_device", Args{"reset": true})
	c.Call("emulate_environment", Args{"reset": true})
}
